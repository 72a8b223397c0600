#include "pipeline/stage_times.h"

#include <gtest/gtest.h>

#include "pipeline/cpu/backend.h"
#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

using std::chrono::milliseconds;

Interval interval(int begin_ms, int end_ms) {
  const Clock::time_point origin = Clock::time_point{} + std::chrono::hours(1);
  return {origin + milliseconds(begin_ms), origin + milliseconds(end_ms)};
}

FrameTimes only(StageId stage, const Interval& interval) {
  FrameTimes times;
  times[stage] = interval;
  return times;
}

pipeline::StageRow row_of(const std::vector<pipeline::StageRow>& rows, StageId stage) {
  for (const pipeline::StageRow& row : rows)
    if (row.stage == stage) return row;
  ADD_FAILURE() << "no row of " << to_string(stage);
  return {};
}

TEST(StageTimes, AStageIsBusyOnceHoweverManyFramesAreInIt) {
  pipeline::StageTimes times;
  for (const Interval& frame :
       {interval(0, 30), interval(10, 40), interval(20, 25), interval(100, 110)})
    times.add(only(StageId::inference, frame));
  times.add_run(0.2, 0);
  const pipeline::StageRow row = row_of(times.rows(), StageId::inference);
  EXPECT_NEAR(row.work_ms, 50.0 / 4, 1e-9);
  EXPECT_NEAR(row.share, 0.25, 1e-9);
  EXPECT_NEAR(row.in_stage_ms.p50, 10, 0.1);
  EXPECT_NEAR(row.in_stage_ms.max, 30, 1e-9);
}

TEST(StageTimes, WaitingInADecoderOrAnEncoderIsNoWork) {
  pipeline::StageTimes times;
  for (const StageId stage : {StageId::decode, StageId::encode}) {
    times.add(only(stage, interval(0, 1000)));
    times.add_work(stage, milliseconds(20));
  }
  times.add_run(2, 0);
  for (const StageId stage : {StageId::decode, StageId::encode}) {
    const pipeline::StageRow row = row_of(times.rows(), stage);
    EXPECT_NEAR(row.work_ms, 20, 1e-9);
    EXPECT_NEAR(row.share, 0.01, 1e-9);
    EXPECT_NEAR(row.in_stage_ms.p50, 1000, 1e-9);
  }
}

TEST(StageTimes, OfLanesTheShareIsTheirMean) {
  pipeline::StageTimes times;
  // Two lanes process one frame each at the same time.
  times.add(only(StageId::inference, interval(0, 100)), 0);
  times.add(only(StageId::inference, interval(0, 50)), 1);
  for (const StageId stage : {StageId::decode, StageId::mux}) {
    times.add(only(stage, interval(0, 10)));
    times.add_work(stage, milliseconds(60));
  }
  times.add_run(0.1, 0, 2);
  const pipeline::StageRow inference = row_of(times.rows(), StageId::inference);
  EXPECT_NEAR(inference.work_ms, 150.0 / 2, 1e-9);
  EXPECT_NEAR(inference.share, 0.75, 1e-9);
  EXPECT_NEAR(row_of(times.rows(), StageId::decode).share, 0.3, 1e-9);
  EXPECT_NEAR(row_of(times.rows(), StageId::mux).share, 0.6, 1e-9) << "one for all lanes";
  pipeline::StageTimes all;
  all.merge(times);
  EXPECT_NEAR(row_of(all.rows(), StageId::inference).share, 0.75, 1e-9);
}

TEST(StageTimes, MergedRunsAddUp) {
  pipeline::StageTimes all;
  EXPECT_TRUE(all.empty());
  for (const int run : {1, 2}) {
    pipeline::StageTimes times;
    times.add(only(StageId::nms, interval(0, 10 * run)));
    times.add_run(run, 0.25);
    all.merge(times);
  }
  EXPECT_FALSE(all.empty());
  EXPECT_EQ(all.wall_s(), 3);
  EXPECT_EQ(all.startup_s(), 0.5);
  const pipeline::StageRow row = row_of(all.rows(), StageId::nms);
  EXPECT_NEAR(row.work_ms, 15, 1e-9);
  EXPECT_NEAR(row.share, 0.01, 1e-9);
  EXPECT_NEAR(row.in_stage_ms.max, 20, 1e-9);
}

TEST(StageTimes, TheStageThatWorksMostBoundsTheRun) {
  EXPECT_FALSE(pipeline::bounding_stage({}).has_value());
  pipeline::StageTimes times;
  for (const StageId stage : {StageId::decode, StageId::encode, StageId::mux}) {
    times.add(only(stage, interval(0, 5000)));
    times.add_work(stage, milliseconds(stage == StageId::encode ? 900 : 50));
  }
  times.add_run(1, 0);
  EXPECT_EQ(pipeline::bounding_stage(times.rows())->stage, StageId::encode);
}

// --- Whole runs

constexpr milliseconds kDetection{20};
constexpr int kFrames = 25;

void be_busy_for(Clock::duration duration) {
  const Clock::time_point end = Clock::now() + duration;
  while (Clock::now() < end) {
  }
}

/// This detector factory needs a long time to get ready, like a network that is compiled for a
/// size. It also needs a long time for each frame.
class SlowFactory final : public detector::DetectorFactory {
 public:
  SlowFactory() : detector::DetectorFactory({}, "fake", "", true) {
    fake_.behaviour.on_collect = [] { be_busy_for(kDetection); };
  }
  std::shared_ptr<detector::Detector> detector(Size frame) override {
    be_busy_for(milliseconds(300));
    return fake_.detector(frame);
  }

 private:
  FakeDetectorFactory fake_;
};

class SlowRun : public testing::Test {
 protected:
  void SetUp() override {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=1", folder_ / "a.mp4");
    pipeline::JobOptions options = lossless_job(folder_ / "a.mp4", folder_ / "b.mp4");
    options.output.encoder = {};  // another encoder could look ahead and return all packets at the
                                  // end
    const auto backend = pipeline::make_cpu_backend(std::make_unique<SlowFactory>());
    pipeline::JobObserver observer;
    observer.times = [this](const pipeline::StageTimes& times) { told_.merge(times); };
    result_ = pipeline::run_job(options, *backend, observer, {});
    ASSERT_EQ(result_.ledger.decoded, kFrames);
  }
  TemporaryFolder folder_;
  pipeline::JobResult result_;
  pipeline::StageTimes told_;
};

TEST_F(SlowRun, RateIsThatOfTheWholeRunAfterStartUp) {
  EXPECT_GE(result_.times.startup_s, 0.3);
  EXPECT_LE(result_.times.fps, 1000.0 / kDetection.count());
  EXPECT_NEAR(result_.times.fps * (result_.times.wall_s - result_.times.startup_s), kFrames, 1e-6);
}

TEST_F(SlowRun, StagesThatWaitForTheDetectorDoNotBoundIt) {
  EXPECT_EQ(pipeline::bounding_stage(result_.times.stages)->stage, StageId::inference);
  EXPECT_GE(row_of(result_.times.stages, StageId::inference).work_ms, kDetection.count());
  for (const StageId stage : {StageId::read, StageId::decode, StageId::encode, StageId::mux}) {
    const pipeline::StageRow row = row_of(result_.times.stages, stage);
    EXPECT_GT(row.work_ms, 0) << to_string(stage);
    EXPECT_LT(row.share, 0.5) << to_string(stage);
  }
  EXPECT_GT(row_of(result_.times.stages, StageId::decode).in_stage_ms.p50, kDetection.count())
      << "frames do wait there";
}

TEST_F(SlowRun, TellsTheTimesOfTheResult) {
  EXPECT_EQ(told_.wall_s(), result_.times.wall_s);
  EXPECT_EQ(told_.startup_s(), result_.times.startup_s);
  EXPECT_EQ(told_.rows().size(), result_.times.stages.size());
  EXPECT_EQ(told_.total_ms().max, result_.times.total_ms.max);
}

TEST_F(SlowRun, ProcessorTimeIncludesLibraries) {
  double own_s = 0;  // half of the frames take at least the median, which is known to within 1 %
  for (const pipeline::StageRow& row : result_.times.stages)
    own_s += 0.49 * row.own_cpu_ms.p50 * kFrames / 1e3;
  EXPECT_GT(own_s, 0);
  EXPECT_GT(result_.times.cpu_s, own_s);
}

}  // namespace
}  // namespace facepipe::test
