#include "app/parts/split.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/failure.h"
#include "app/output/existing_target.h"
#include "app/run/known_tracks.h"
#include "app/run/named_files.h"
#include "app/run/pipeline_run.h"
#include "core/error.h"
#include "core/machine.h"
#include "pipeline/cpu/backend.h"
#include "pipeline/flight_limits.h"
#include "pipeline/parts/scene_search.h"
#include "video/bitstream/packet_hash.h"
#include "video/bitstream/segments.h"
#include "video/read/demuxer.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

/// A part whose faces are followed begins with a scene at most so long after its cut. For this
/// time, two parts decode the same pictures.
constexpr double kMostToScene_s = 60;

/// Where a packet is.
struct Position {
  std::int64_t dts = AV_NOPTS_VALUE;
  std::int64_t pos = -1;
};

/// What the packets of a video say.
struct ScannedVideo {
  std::vector<std::int64_t> places;  // indices of the packets before which the stream can be cut
  std::set<std::int64_t> entries;    // the places at which reading can begin, too
  std::vector<Position> positions;   // of all packets
  bool positions_rise = true;
  std::vector<std::uint64_t> hashes;  // of the first n packets, n = 0 to the number of packets
  std::int64_t look_ahead = 0;        // frames that wait for later frames, if faces are hidden
  bool stamps_rise = true;            // of the pictures, in the order in which they are shown

  [[nodiscard]] std::int64_t packets() const { return std::ssize(hashes) - 1; }
  /// Returns the hash of `count` packets.
  [[nodiscard]] std::uint64_t hash_of(std::int64_t first, std::int64_t count) const {
    const auto before = [&](std::int64_t packet) {
      return hashes[static_cast<std::size_t>(packet)];
    };
    return video::hash_of_last(before(first + count), before(first), count);
  }
};

/// Finds out whether the stamps of pictures rise, in the order in which they are shown. If they
/// don't, the stamp of a picture depends on all pictures before it (video::Timeline).
class StampOrder {
 public:
  /// Takes the stamp of the next packet in the file. Returns false if stamps don't rise.
  [[nodiscard]] bool see(std::int64_t stamp) {
    const bool rises =
        stamp != AV_NOPTS_VALUE && (!last_ || stamp > *last_) && waiting_.insert(stamp).second;
    if (rises && waiting_.size() > kMostReordered) {
      last_ = *waiting_.begin();
      waiting_.erase(waiting_.begin());
    }
    return rises;
  }

 private:
  static constexpr std::size_t kMostReordered = 64;  // more than any codec allows
  std::set<std::int64_t> waiting_;
  std::optional<std::int64_t> last_;
};

class Scan {
 public:
  /// @param hide  nullopt if no faces are hidden
  Scan(const std::string& input, const std::optional<pipeline::HideJob>& hide,
       std::int64_t max_pixels, const std::stop_token& stop)
      : stop_(stop),
        demuxer_(input, stop, video::References::refuse, max_pixels),
        segmenter_(*demuxer_.video().codecpar) {
    found_.stamps_rise = !demuxer_.lacks_time_stamps();
    if (hide) found_.look_ahead = pipeline::frames_ahead(*hide, demuxer_);
  }

  ScannedVideo run();

 private:
  void take_places();

  const std::stop_token stop_;
  video::Demuxer demuxer_;
  video::Segmenter segmenter_;
  std::int64_t segment_ = 0;
  StampOrder stamps_;
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
    const std::int64_t before = found_.positions.empty() ? -1 : found_.positions.back().pos;
    found_.positions_rise = found_.positions_rise && packet->pos > before;
    found_.positions.push_back({packet->dts, packet->pos});
    found_.stamps_rise = found_.stamps_rise && stamps_.see(packet->pts);
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
    if (packet->needs_nothing_before) found_.entries.insert(packet->ordinal);
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

/// Says which parts wait for a pass of `join`.
void tell_long_scenes(const PartPlan& plan, const std::string& name) {
  for (const LongScene& scene : long_scenes_of(plan))
    spdlog::info(
        "{}: no scene begins between the parts {} to {}: they look for faces, and facepipe "
        "join follows and hides these faces in one pass",
        name, scene.first + 1, scene.last + 1);
}

/// Throws if the input is no regular file.
void expect_file(const std::string& input) {
  if (!bytes_of_input(input))
    throw Error(ErrorKind::usage,
                input + ": is not a regular file, but parts of it are read several times");
}

/// A place where one part ends and the next one begins. Without a scene, their faces are followed
/// in one pass (LongScene), or no faces are followed.
struct Border {
  std::int64_t cut = 0;  // PartJob::cuts
  std::optional<pipeline::SceneAfterCut> scene{};
};

/// Returns the scene with which a part behind a cut can begin; nullopt if no scene is behind the
/// cut, or if it is too near to the next cut or to the end. There, a part could not decode the
/// scene's first frame exactly, or, if the input ends too early, the frames before it would be
/// hidden as a whole.
/// @param next  the next cut, or the number of all packets
std::optional<pipeline::SceneAfterCut> scene_at(std::int64_t cut,
                                                const std::optional<pipeline::FoundScene>& scene,
                                                std::int64_t next, const ScannedVideo& video) {
  if (!scene) return std::nullopt;
  const auto end = std::ranges::lower_bound(video.places, cut + scene->packets);
  if (end == video.places.end() || *end > next) return std::nullopt;
  if (video.packets() - *end < video.look_ahead) return std::nullopt;
  const std::int64_t packets = *end - cut;
  return pipeline::SceneAfterCut{packets, video.hash_of(cut, packets), scene->frames};
}

/// Chooses the borders of parts whose faces are followed. Behind some cuts in a row, no scene may
/// begin. If they are near to each other, they are left out: the part before them ends with the
/// next scene. If no scene begins for a long time, they stay, and divide a long scene.
class FollowedBorders {
 public:
  explicit FollowedBorders(bool divides_scenes) : divides_scenes_(divides_scenes) {}

  /// Takes the next cut.
  void add(const Border& border, double searched_s) {
    if (border.scene) {
      end_scene();
      borders_.push_back(border);
      return;
    }
    of_scene_.push_back(border);
    without_scene_s_ += searched_s;
  }
  [[nodiscard]] std::vector<Border> finish() {
    end_scene();
    return std::move(borders_);
  }

 private:
  void end_scene() {
    if (divides_scenes_ && without_scene_s_ >= kMostToScene_s)
      borders_.insert(borders_.end(), of_scene_.begin(), of_scene_.end());
    of_scene_.clear();
    without_scene_s_ = 0;
  }

  const bool divides_scenes_;
  std::vector<Border> borders_;
  std::vector<Border> of_scene_;  // the last cuts, if no scene begins behind them
  double without_scene_s_ = 0;    // for so long behind these cuts
};

/// Returns whether the plan is one for CUDA devices. They look for faces as fast as they follow
/// them, so it doesn't help to look for faces in parts.
bool is_for_cuda(const RunOptions& options) {
  const DeviceRequest& device = options.device;
  return options.devices || (!device.automatic && device.device.kind == DeviceKind::cuda);
}

/// Returns the borders of parts whose faces are followed.
std::vector<Border> followed_borders(const std::vector<std::int64_t>& cuts,
                                     const ScannedVideo& video, const RunOptions& options,
                                     const std::string& input, const std::stop_token& stop) {
  if (cuts.empty()) return {};
  pipeline::JobOptions job = options.job;
  job.input.name = input;
  const auto backend = pipeline::make_cpu_backend(nullptr);
  const auto searched = pipeline::find_scenes(job, *backend, cuts, kMostToScene_s, stop);
  FollowedBorders borders(!is_for_cuda(options));
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::int64_t next = i + 1 < cuts.size() ? cuts[i + 1] : video.packets();
    borders.add({cuts[i], scene_at(cuts[i], searched[i].scene, next, video)},
                searched[i].searched_s);
  }
  return borders.finish();
}

/// Returns the packets before a part with which a job can begin to read: those from the place
/// before the cut on. nullopt: it must read the input from the beginning.
/// @param cut  the index of the part's first packet
std::optional<video::PacketPlace> place_before(const ScannedVideo& video, std::int64_t cut) {
  const auto behind = std::ranges::lower_bound(video.places, cut);
  if (!video.positions_rise || behind == video.places.begin()) return std::nullopt;
  const std::int64_t place = *std::prev(behind);
  const Position& position = video.positions[static_cast<std::size_t>(place)];
  if (position.dts == AV_NOPTS_VALUE || !video.entries.contains(place)) return std::nullopt;
  return video::PacketPlace{place, position.dts, position.pos, cut - place,
                            video.hash_of(place, cut - place)};
}

std::vector<PlannedPart> parts_of(const ScannedVideo& video, const std::vector<Border>& borders) {
  std::vector<PlannedPart> planned;
  std::int64_t begin = 0;
  const auto add = [&](std::int64_t end) -> PlannedPart& {
    const std::int64_t first = std::exchange(begin, end);
    PlannedPart& part = planned.emplace_back(end - first, video.hash_of(first, end - first));
    part.before = place_before(video, first);
    return part;
  };
  for (const Border& border : borders) add(border.cut).next = border.scene;
  add(video.packets());
  return planned;
}

/// Returns why there are fewer parts than the user wants.
/// @param no_scenes  a scene is missing behind a cut
std::string why_fewer(bool out_of_order, bool no_scenes) {
  if (out_of_order)
    return "some of its time stamps are missing or don't rise, and what is hidden depends on them";
  if (no_scenes)
    return "a part must begin with a new scene, and none begins soon enough behind the other "
           "places where it can be cut";
  return "it can't be cut at more places";
}

}  // namespace

bool follows_faces(const RunOptions& options) {
  return options.job.hide && options.files.known_tracks.empty();
}

PartPlan plan_parts(const RunOptions& options, const std::string& input, const fs::path& output,
                    const std::stop_token& stop) {
  expect_file(input);
  const std::optional<pipeline::HideJob>& hide = options.job.hide;
  const ScannedVideo video = Scan(input, hide, options.job.input.max_pixels, stop).run();
  if (video.packets() == 0) throw Error(ErrorKind::input, input + ": has no video packets");
  PartPlan plan;
  plan.program = FACEPIPE_VERSION;
  plan.arguments = options.command_line;
  plan.folder = fs::current_path().string();
  plan.input = fs::absolute(input).lexically_normal().string();
  plan.output = output.filename().string();
  const int threads = options.job.resources.threads;
  plan.encoder_threads = threads > 0 ? threads : usable_processors();
  std::vector<std::int64_t> cuts = chosen_cuts(video.places, video.packets(), options.parts);
  const bool out_of_order = hide && !video.stamps_rise;
  if (out_of_order) cuts.clear();
  plan.follows_faces = follows_faces(options);
  std::vector<Border> borders;
  if (plan.follows_faces)
    borders = followed_borders(cuts, video, options, input, stop);
  else
    for (const std::int64_t cut : cuts) borders.push_back({cut});
  plan.parts = parts_of(video, borders);
  if (std::cmp_less(plan.parts.size(), options.parts))
    spdlog::warn("{}: {} instead of {} parts: {}", input, plan.parts.size(), options.parts,
                 why_fewer(out_of_order, borders.size() < cuts.size()));
  return plan;
}

int split(const SplitOptions& options, const std::stop_token& stop) {
  const RunOptions& run = options.run;
  expect_file(run.inputs.front());
  const auto file = open_output(options.plan, options.overwrite, stop);
  if (const fs::path& edits = run.files.known_tracks; !edits.empty())
    static_cast<void>(read_known_tracks(edits, run.inputs.front(),
                                        {run.job.hide->appearance, run.left_to_card.grow}, stop));
  fs::path output;
  if (run.video) {
    const PlannedVideo planned = planned_video(run, stop);
    if (planned.code != kExitDone) return planned.code;  // planning has printed why
    output = planned.path;
  }
  const std::string text = part_plan_text(plan_parts(run, run.inputs.front(), output, stop));
  const PartPlan plan = parse_part_plan(text, options.plan.string());
  file->write_text(text);
  file->commit();
  if (!run.console.quiet) {
    spdlog::info("{}: {} parts; facepipe part makes each, and facepipe join joins them",
                 options.plan.string(), plan.parts.size());
    tell_long_scenes(plan, options.plan.string());
  }
  return kExitDone;
}

}  // namespace facepipe::app
