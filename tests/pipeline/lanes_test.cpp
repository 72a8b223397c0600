// These tests decode one input with several decoders at the same time. Records, ledger, notices and
// the output's packets must equal those of one decoder. The clips can be cut in different ways, or
// not at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "tests/pipeline/lane_rows.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/fake_detector.h"
#include "tests/support/job.h"
#include "tests/support/picture_faces.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg.h"

namespace facepipe::test {
namespace {

using testing::HasSubstr;

class LaneRows : public testing::TestWithParam<LaneRow> {};

TEST_P(LaneRows, TellAndWriteWhatOneLaneDoes) {
  video::redirect_ffmpeg_log();
  const TemporaryFolder folder;
  expect_as_one_lane(GetParam(), folder.path(), *picture_backend(), {2, 7});
}

std::string name_of(const testing::TestParamInfo<LaneRow>& row) { return row.param.name; }

INSTANTIATE_TEST_SUITE_P(H264, LaneRows, testing::ValuesIn(h264_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Hevc, LaneRows, testing::ValuesIn(hevc_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Others, LaneRows, testing::ValuesIn(other_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Broken, LaneRows, testing::ValuesIn(broken_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Ranges, LaneRows, testing::ValuesIn(range_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Sound, LaneRows, testing::ValuesIn(sound_rows()), name_of);

/// Finds no faces. Keeps the number of each picture (Frame::index) that it searches.
class NumberDetectorFactory final : public detector::DetectorFactory {
 public:
  NumberDetectorFactory() : detector::DetectorFactory({}, "numbers", "", true) {
    behaviour_.on_prepare = [this](const Frame& frame) {
      const std::scoped_lock lock(mutex_);
      found_.emplace(hash_of_picture(frame), frame.index);
    };
  }
  std::shared_ptr<detector::Detector> detector(Size frame) override {
    return std::make_shared<FakeDetector>(behaviour_, frame);
  }
  /// Returns the pictures, as hashes of their samples, with their numbers.
  [[nodiscard]] const std::set<std::pair<std::size_t, std::int64_t>>& found() const {
    return found_;
  }

 private:
  FakeBehaviour behaviour_;
  std::mutex mutex_;  // guards found_
  std::set<std::pair<std::size_t, std::int64_t>> found_;
};

// The turn of a picture in a turned look depends on its number (detector::Looks).
class NumberedLaneRows : public testing::TestWithParam<LaneRow> {};

TEST_P(NumberedLaneRows, SearchEachPictureUnderTheNumberThatOneLaneGivesIt) {
  video::redirect_ffmpeg_log();
  const TemporaryFolder folder;
  auto detectors = std::make_unique<NumberDetectorFactory>();
  const NumberDetectorFactory& numbers = *detectors;
  const auto backend = pipeline::make_cpu_backend(std::move(detectors));
  const LaneRow& row = GetParam();
  row.make(folder / row.file);
  pipeline::JobOptions options = lossless_job(folder / row.file, {});
  options.input.start_s = row.start_s;
  options.input.end_s = row.end_s;
  options.resources.threads = row.threads;
  for (const int lanes : {1, 3})
    EXPECT_EQ(run_on_lanes(options, lanes, *backend).run.result.resources.lanes.count, lanes);
  EXPECT_GE(std::ssize(numbers.found()), row.frames);
  std::set<std::int64_t> all;
  for (const auto& [picture, number] : numbers.found()) all.insert(number);
  EXPECT_EQ(all.size(), numbers.found().size()) << "each number belongs to one picture";
  EXPECT_EQ(*all.begin(), 0);
  EXPECT_EQ(*all.rbegin(), std::ssize(all) - 1);
}

INSTANTIATE_TEST_SUITE_P(H264, NumberedLaneRows, testing::ValuesIn(h264_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Hevc, NumberedLaneRows, testing::ValuesIn(hevc_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Ranges, NumberedLaneRows, testing::ValuesIn(range_rows()), name_of);

TEST(Lanes, AreRefusedToAnEncoderThatNeedsTheOrder) {
  const TemporaryFolder folder;
  ffmpeg(kTenSeconds + kClosed, folder / "c.mp4");
  pipeline::JobOptions options = lossless_job(folder / "c.mp4", folder / "out.mp4");
  options.resources.lanes = 3;
  expect_error(ErrorKind::usage, "libx264", [&] { run_fake_job(options); });
  options.output.encoder = {
      "mjpeg", "", {}, {{"b", "1000000"}}};  // with this option, the encoder distributes bits over
                                             // pictures, so lanes can't divide the input
  expect_error(ErrorKind::usage, "mjpeg", [&] { run_fake_job(options); });
  EXPECT_THAT(folder.names(), testing::ElementsAre("c.mp4"));
}

TEST(Lanes, AreOneOnTheCpuWhereNobodyAsks) {
  const TemporaryFolder folder;
  ffmpeg(kTenSeconds + kClosed, folder / "c.mp4");
  const pipeline::JobResult result = run_fake_job(lossless_job(folder / "c.mp4", {})).result;
  EXPECT_EQ(result.resources.lanes.count, 1);
  EXPECT_EQ(result.resources.lanes.why_one, "");
  EXPECT_EQ(result.resources.cuts, 0);
}

void expect_one_lane(pipeline::JobOptions options, const std::string& why, std::int64_t frames) {
  options.resources.lanes = 7;
  const JobRun run = run_fake_job(options);
  EXPECT_EQ(run.result.resources.lanes.count, 1);
  EXPECT_THAT(run.result.resources.lanes.why_one, HasSubstr(why));
  EXPECT_EQ(run.result.resources.cuts, 0);
  EXPECT_EQ(run.result.ledger.decoded, frames);
  EXPECT_EQ(std::ssize(run.records), frames);
}

TEST(Lanes, AreOneForAShortClip) {
  const TemporaryFolder folder;
  ffmpeg(source("64x64", 2.52) + kClosed, folder / "c.mp4");
  expect_one_lane(lossless_job(folder / "c.mp4", {}), "too short", 63);
}

TEST(Lanes, AreOneForAPicture) {
  const TemporaryFolder folder;
  ffmpeg(source("64x64", 1) + "-frames:v 1", folder / "a.png");
  ffmpeg(source("64x64", 1) + "-frames:v 1", folder / "a.jpg");
  expect_one_lane(lossless_job(folder / "a.png", {}), "too short", 1);
  expect_one_lane(lossless_job(folder / "a.jpg", {}), "too short", 1);
}

TEST(Lanes, AreOneForARangeOfFramesWithoutStamps) {
  const TemporaryFolder folder;
  ffmpeg(kTenSeconds + kClosed, folder / "c.264");
  pipeline::JobOptions options = lossless_job(folder / "c.264", {});
  options.input.end_s = 4;
  expect_one_lane(options, "no time stamps", 100);
}

// Records contain the lane that did the work. Each frame takes so long that the other lane also
// gets frames.
TEST(Lanes, ShareTheWork) {
  const TemporaryFolder folder;
  ffmpeg(kTenSeconds + kClosed, folder / "c.mp4");
  FakeBehaviour slow;
  slow.on_collect = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  pipeline::JobOptions options = lossless_job(folder / "c.mp4", {});
  options.resources.lanes = 2;
  const JobRun run = run_fake_job(options, slow);
  std::map<int, int> frames;
  for (const FrameRecord& record : run.records) {
    ++frames[record.lane];
    EXPECT_GE(record.order_wait_ms, 0);
  }
  EXPECT_EQ(frames[0] + frames[1], 250);
  EXPECT_GT(frames[0], 0);
  EXPECT_GT(frames[1], 0);
}

}  // namespace
}  // namespace facepipe::test
