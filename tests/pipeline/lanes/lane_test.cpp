// These tests run lanes with the smallest limits. Lanes must not wait for each other for ever, and
// the results must be in the order of the stream.
#include "pipeline/lanes/lane.h"
#include "pipeline/lanes/feed.h"

#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/job_end.h"
#include "pipeline/job_parts.h"
#include "pipeline/plan.h"
#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg.h"

namespace facepipe::test {
namespace {

const std::string k250 =
    "-f lavfi -i testsrc2=s=64x64:r=25:d=10 -c:v libx264 -preset veryfast -threads 1 -bf 3 "
    "-x264-params keyint=48:min-keyint=48:scenecut=0";

/// Runs a job without video output and with given limits. It adds a packet of another stream behind
/// each video packet.
class BoundedJob {
 public:
  BoundedJob(const std::filesystem::path& clip, int lanes, const pipeline::Order::Limits& limits)
      : options_(options_for(clip, lanes)),
        planned_(pipeline::plan_job(options_, *backend_, {notices_, copies_}, {})),
        connections_({lanes, false, limits, std::nullopt}, notices_, runner_.failed()) {
    pipeline::make_processors(planned_, options_, {notices_, copies_});
    connections_.devices.add(Device{});
    for (pipeline::LaneParts& parts : planned_.input.lanes)
      lanes_.emplace_back(static_cast<int>(lanes_.size()), std::move(parts), 2, connections_, end_,
                          runner_.failed());
    runner_.add("read", [this] { read(); });
    for (pipeline::Lane& lane : lanes_) lane.add_threads(runner_);
    runner_.add("take", [this] { take(); });
  }

  void run() { runner_.run(); }

  [[nodiscard]] std::size_t lanes() const { return lanes_.size(); }
  [[nodiscard]] std::int64_t segments() const { return counted_; }
  /// pictures() returns the stamps of the pictures, and sides() the numbers of the other packets,
  /// both in the order in which they were taken.
  [[nodiscard]] const std::vector<std::int64_t>& pictures() const { return pictures_; }
  [[nodiscard]] const std::vector<std::int64_t>& sides() const { return sides_; }

 private:
  static pipeline::JobOptions options_for(const std::filesystem::path& clip, int lanes) {
    pipeline::JobOptions options = lossless_job(clip, {});
    options.resources.lanes = lanes;
    // With 48 threads, a decoder holds back more pictures than Feed needs to decide about a cut.
    options.resources.threads = 48;
    return options;
  }

  void read() {
    pipeline::Feed feed(planned_.input.demuxer().video().codecpar, 2, 1, connections_.segments,
                        connections_.order, runner_.failed());
    std::int64_t next_side = 0;
    const auto give = [&](video::ReadPacket packet) {
      feed.give(std::move(packet));
      pipeline::SidePacket side{video::new_av_packet()};
      side.packet->pts = next_side++;
      feed.give(std::move(side));
    };
    for (video::ReadPacket& packet : planned_.input.begin.packets) give(std::move(packet));
    for (video::ReadPacket next = video::read_packet(*planned_.input.source); next.packet;
         next = video::read_packet(*planned_.input.source))
      give(std::move(next));
    feed.finish();
    counted_ = feed.segments();
  }

  void take() {
    while (const std::optional<pipeline::OrderedItem> item = connections_.order.next())
      if (const auto* side = std::get_if<pipeline::SidePacket>(&*item))
        sides_.push_back(side->packet->pts);
      else
        pictures_.push_back(std::get<pipeline::FinishedFrame>(*item).coded.pts);
  }

  const pipeline::JobOptions options_;
  std::unique_ptr<pipeline::Backend> backend_ = fake_backend();
  video::Notices notices_{"clip"};
  CopyCounter copies_;
  pipeline::PlannedJob planned_;
  pipeline::Runner runner_;
  pipeline::LaneConnections connections_;
  pipeline::JobEnd end_{{}, false};
  std::deque<pipeline::Lane> lanes_;
  std::int64_t counted_ = 0;
  std::vector<std::int64_t> pictures_;
  std::vector<std::int64_t> sides_;
};

void expect_all_in_order(const std::filesystem::path& clip, int lanes,
                         const pipeline::Order::Limits& limits) {
  BoundedJob job(clip, lanes, limits);
  job.run();
  EXPECT_EQ(job.lanes(), static_cast<std::size_t>(lanes));
  EXPECT_EQ(job.segments(), 5);
  std::vector<std::int64_t> stamps;
  for (const Stamp& stamp : video_stamps(clip)) stamps.push_back(stamp.num * 12800 / stamp.den);
  EXPECT_EQ(job.pictures(), stamps);
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < std::ssize(stamps); ++i) numbers.push_back(i);
  EXPECT_EQ(job.sides(), numbers);
}

class BoundedLanes : public testing::TestWithParam<const char*> {};

// A lane can continue with a later segment while its decoder still holds the last pictures of the
// segment whose turn it is. If the lane waited for room for the later segment, it would wait for
// ever.
TEST_P(BoundedLanes, NeverWaitForEachOther) {
  video::redirect_ffmpeg_log();
  const TemporaryFolder folder;
  ffmpeg(k250 + GetParam() + " -video_track_timescale 12800", folder / "c.mp4");
  for (const int lanes : {2, 7})
    for (const std::int64_t bytes : {0, 2000}) {
      SCOPED_TRACE(std::to_string(lanes) + " lanes, " + std::to_string(bytes) + " bytes");
      expect_all_in_order(folder / "c.mp4", lanes, {1, bytes});
    }
}

INSTANTIATE_TEST_SUITE_P(Gops, BoundedLanes, testing::Values("", ":open-gop=1:b-adapt=0"),
                         [](const auto& test) {
                           return std::string(*test.param == 0 ? "Closed" : "Open");
                         });

}  // namespace
}  // namespace facepipe::test
