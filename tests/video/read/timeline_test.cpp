#include "video/read/timeline.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::video {
namespace {

class TimelineTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_.emplace();
    test::ffmpeg("-f lavfi -i testsrc2=s=64x64:r=10:d=1 -video_track_timescale 1000", clip());
    test::ffmpeg("-f lavfi -i testsrc2=s=64x64:r=10:d=1 -f h264", raw());
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::filesystem::path clip() { return *folder_ / "clip.mp4"; }
  static std::filesystem::path raw() { return *folder_ / "clip.264"; }

  static inline std::optional<test::TemporaryFolder> folder_;
  Notices notices_{"clip"};
};

TEST_F(TimelineTest, GoodStampsPassUnchanged) {
  const Demuxer demuxer(clip().string(), {});
  Timeline timeline(demuxer, {}, {}, notices_);
  for (const std::int64_t pts : {0, 1600, 3200, 9999999}) {
    EXPECT_EQ(timeline.next(pts, 5).pts, pts);
  }
  EXPECT_TRUE(notices_.all().empty());
}

TEST_F(TimelineTest, AMissingStampFollowsTheFrameBefore) {
  const Demuxer demuxer(clip().string(), {});
  Timeline timeline(demuxer, {}, {}, notices_);
  (void)timeline.next(100, 40);
  EXPECT_EQ(timeline.next(AV_NOPTS_VALUE, 40).pts, 140);
  EXPECT_EQ(notices_.all().size(), 1U);
}

TEST_F(TimelineTest, StampsThatDoNotRiseAreMoved) {
  const Demuxer demuxer(clip().string(), {});
  Timeline timeline(demuxer, {}, {}, notices_);
  EXPECT_EQ(timeline.next(100, 40).pts, 100);
  EXPECT_EQ(timeline.next(100, 40).pts, 101);
  EXPECT_EQ(timeline.next(50, 40).pts, 102);
  EXPECT_EQ(notices_.all().size(), 1U);
}

TEST_F(TimelineTest, ImpossibleStampsAndDurationsAreReplaced) {
  const Demuxer demuxer(clip().string(), {});
  Timeline timeline(demuxer, {}, {}, notices_);
  (void)timeline.next(100, 40);
  EXPECT_EQ(timeline.next(INT64_MAX - 1, 40).pts, 140);
  const Timing timing = timeline.next(200, INT64_MAX);
  EXPECT_GT(timing.duration, 0);
  EXPECT_LT(timing.duration, 1'000'000);
}

TEST_F(TimelineTest, ARawStreamIsCountedInFrames) {
  const Demuxer demuxer(raw().string(), {});
  Timeline timeline(demuxer, {}, {}, notices_);
  EXPECT_EQ(timeline.next(12345, 7).pts, 0);
  EXPECT_EQ(timeline.next(AV_NOPTS_VALUE, 0).pts, 1);
  EXPECT_EQ(timeline.time_base().num, demuxer.frame_rate().den);
  EXPECT_EQ(notices_.all().size(), 1U);
}

TEST_F(TimelineTest, TheRangeIsHalfOpen) {
  const Demuxer demuxer(clip().string(), {});
  const Timeline timeline(demuxer, 0.2, 0.5, notices_);
  const AVRational milliseconds{1, 1000};
  EXPECT_FALSE(timeline.in_range(199, milliseconds));
  EXPECT_TRUE(timeline.in_range(200, milliseconds));
  EXPECT_TRUE(timeline.in_range(499, milliseconds));
  EXPECT_FALSE(timeline.in_range(500, milliseconds));
  EXPECT_TRUE(timeline.after_range(500, milliseconds));
  EXPECT_FALSE(timeline.after_range(100, milliseconds));
}

}  // namespace
}  // namespace facepipe::video
