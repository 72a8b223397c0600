#include "app/parts/split.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/failure.h"
#include "app/output/existing_target.h"
#include "app/run/named_files.h"
#include "app/run/pipeline_run.h"
#include "core/error.h"
#include "core/machine.h"
#include "video/bitstream/packet_hash.h"
#include "video/bitstream/segments.h"
#include "video/read/demuxer.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

/// What the packets of a video say.
struct ScannedVideo {
  std::vector<std::int64_t> places;   // indices of the packets before which the stream can be cut
  std::vector<std::uint64_t> hashes;  // of the first n packets, n = 0 to the number of packets
};

class Scan {
 public:
  Scan(const std::string& input, std::int64_t max_pixels, const std::stop_token& stop)
      : stop_(stop),
        demuxer_(input, stop, video::References::refuse, max_pixels),
        segmenter_(*demuxer_.video().codecpar) {}

  ScannedVideo run();

 private:
  void take_places();

  const std::stop_token stop_;
  video::Demuxer demuxer_;
  video::Segmenter segmenter_;
  std::int64_t segment_ = 0;
  ScannedVideo found_;
};

ScannedVideo Scan::run() {
  for (unsigned i = 0; i < demuxer_.format().nb_streams; ++i)
    if (static_cast<int>(i) != demuxer_.video_index()) demuxer_.discard(static_cast<int>(i));
  video::PacketHash hash;
  found_.hashes.push_back(hash.value());
  while (video::UniqueAVPacket packet = demuxer_.read()) {
    if (packet->stream_index != demuxer_.video_index()) continue;
    hash.add(*packet);
    found_.hashes.push_back(hash.value());
    video::ReadPacket read;
    read.packet = std::move(packet);
    segmenter_.send(std::move(read));
    take_places();
  }
  if (stop_.stop_requested()) throw Stopped();
  if (demuxer_.failure()) throw Error(*demuxer_.failure());
  segmenter_.finish();
  take_places();
  return std::move(found_);
}

void Scan::take_places() {
  while (const std::optional<video::SegmentPacket> packet = segmenter_.next()) {
    if (packet->segment <= segment_) continue;
    segment_ = packet->segment;
    found_.places.push_back(packet->ordinal);
  }
}

/// Returns the place that is nearest to `wanted`. There must be a place.
std::int64_t nearest(const std::vector<std::int64_t>& places, std::int64_t wanted) {
  const auto behind = std::ranges::lower_bound(places, wanted);
  if (behind == places.begin()) return *behind;
  const std::int64_t before = *std::prev(behind);
  return behind == places.end() || wanted - before <= *behind - wanted ? before : *behind;
}

/// Returns at which places a stream is cut into at most `parts` parts of about the same length.
std::vector<std::int64_t> chosen_cuts(const std::vector<std::int64_t>& places, std::int64_t packets,
                                      int parts) {
  std::vector<std::int64_t> cuts;
  if (places.empty()) return cuts;
  for (int i = 1; i < parts; ++i) cuts.push_back(nearest(places, packets * i / parts));
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

/// Throws if the input is no regular file.
void expect_file(const std::string& input) {
  if (!bytes_of_input(input))
    throw Error(ErrorKind::usage,
                input + ": is not a regular file, but parts of it are read several times");
}

std::vector<PlannedPart> parts_of(const ScannedVideo& video, int parts) {
  const std::int64_t packets = std::ssize(video.hashes) - 1;
  std::vector<std::int64_t> ends = chosen_cuts(video.places, packets, parts);
  ends.push_back(packets);
  std::vector<PlannedPart> planned;
  std::int64_t begin = 0;
  const auto hash_before = [&](std::int64_t packet) {
    return video.hashes[static_cast<std::size_t>(packet)];
  };
  for (const std::int64_t end : ends) {
    const std::uint64_t hash =
        video::hash_of_last(hash_before(end), hash_before(begin), end - begin);
    planned.push_back({end - begin, hash});
    begin = end;
  }
  return planned;
}

}  // namespace

PartPlan plan_parts(const RunOptions& options, const std::string& input, const fs::path& output,
                    const std::stop_token& stop) {
  expect_file(input);
  const ScannedVideo video = Scan(input, options.job.input.max_pixels, stop).run();
  if (video.hashes.size() == 1) throw Error(ErrorKind::input, input + ": has no video packets");
  PartPlan plan;
  plan.program = FACEPIPE_VERSION;
  plan.arguments = options.command_line;
  plan.folder = fs::current_path().string();
  plan.input = fs::absolute(input).lexically_normal().string();
  plan.output = output.filename().string();
  const int threads = options.job.resources.threads;
  plan.encoder_threads = threads > 0 ? threads : usable_processors();
  plan.parts = parts_of(video, options.parts);
  if (std::cmp_less(plan.parts.size(), options.parts))
    spdlog::warn("{}: {} instead of {} parts, because it can't be cut at more places", input,
                 plan.parts.size(), options.parts);
  return plan;
}

int split(const SplitOptions& options, const std::stop_token& stop) {
  const RunOptions& run = options.run;
  expect_file(run.inputs.front());
  const auto file = open_output(options.plan, options.overwrite, stop);
  fs::path output;
  if (run.video) {
    const PlannedVideo planned = planned_video(run, stop);
    if (planned.path.empty()) return planned.code;  // planning has printed why
    output = planned.path;
  }
  const std::string text = part_plan_text(plan_parts(run, run.inputs.front(), output, stop));
  const PartPlan plan = parse_part_plan(text, options.plan.string());
  file->write_text(text);
  file->commit();
  if (!run.console.quiet)
    spdlog::info("{}: {} parts; facepipe part makes each, and facepipe join joins them",
                 options.plan.string(), plan.parts.size());
  return kExitDone;
}

}  // namespace facepipe::app
