// These tests check the arithmetic of plans. The expected numbers are computed by hand.
#include "app/plan/estimate.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace facepipe::app {
namespace {

/// Returns the points of frames that are worked on every `work_s` seconds, and are complete as many
/// frames later as the encoder looks ahead.
std::vector<FramePoint> pipeline_of(int frames, double work_s, int look_ahead) {
  std::vector<FramePoint> points;
  for (int i = 0; i < frames; ++i) points.push_back({i * work_s, (i + look_ahead) * work_s});
  return points;
}

/// A trial that took 2 s to start, 10 s for 100 frames, and 1 s to end.
Trial simple_trial() {
  Trial trial;
  trial.frames = 100;
  trial.startup_s = 2;
  trial.wall_s = 13;
  trial.steady_fps = 10;
  trial.bytes = {100'000, 10'000, 5'000, 106'000};
  return trial;
}

TEST(Estimate, MeasuresTheSpeedWhileAllStagesAreBusy) {
  // The first frame is complete at 4 s; then 60 frames enter, the last at 9.9 s.
  EXPECT_NEAR(steady_speed(pipeline_of(100, 0.1, 40)), 59 / 5.9, 1e-9);
  // The start is slow, and doesn't count.
  std::vector<FramePoint> slow = pipeline_of(100, 0.1, 40);
  slow.front().worked_s = -100;
  EXPECT_NEAR(steady_speed(slow), 59 / 5.9, 1e-9);
}

TEST(Estimate, HasNoSteadySpeedIfTheQueuesNeverFill) {
  EXPECT_EQ(steady_speed({}), 0);
  EXPECT_EQ(steady_speed(pipeline_of(100, 0.1, 100)), 0);
  EXPECT_EQ(steady_speed(pipeline_of(52, 0.1, 40)), 0);  // 11 frames enter after the first is done
  EXPECT_GT(steady_speed(pipeline_of(53, 0.1, 40)), 0);
}

TEST(Estimate, AddsStartAndEndToTheTimeOfTheFrames) {
  const Estimate made = estimated({simple_trial()}, {1000, 0, true, {}}, Detector::is_made);
  EXPECT_DOUBLE_EQ(made.fps, 10);
  EXPECT_DOUBLE_EQ(made.seconds.value(), 2 + 1000 / 10.0 + 1);
  const Estimate prepared = estimated({simple_trial()}, {1000, 7, true, {}}, Detector::is_made);
  EXPECT_DOUBLE_EQ(prepared.seconds.value(), 7 + 2 + 1000 / 10.0 + 1);
}

TEST(Estimate, UsesTheWholeTimeIfThereIsNoSteadySpeed) {
  Trial trial = simple_trial();
  trial.steady_fps = 0;
  const Estimate made = estimated({trial}, {1000, 0, true, {}}, Detector::is_made);
  EXPECT_DOUBLE_EQ(made.fps, 100 / 11.0);
  EXPECT_DOUBLE_EQ(made.seconds.value(), 2 + 1000 * 11 / 100.0);
}

TEST(Estimate, WeighsAllPlacesAlike) {
  Trial fast = simple_trial();
  fast.startup_s = 0.5;
  fast.steady_fps = 40;
  fast.frames = 7;  // a place where few frames were tried is as long as the others
  const std::vector<Trial> trials{simple_trial(), fast};
  const double frame_s = (1 / 10.0 + 1 / 40.0) / 2;
  const Estimate made = estimated(trials, {1000, 0, true, {}}, Detector::is_made);
  EXPECT_DOUBLE_EQ(made.fps, 1 / frame_s);
  EXPECT_DOUBLE_EQ(made.seconds.value(), 2 + 1000 * frame_s + 1);
  const Estimate again = estimated(trials, {1000, 0, true, {}}, Detector::exists);
  EXPECT_DOUBLE_EQ(again.seconds.value(), 0.5 + 1000 * frame_s + 1);
}

TEST(Estimate, OfAWholeInputIsTheTrialItself) {
  Trial trial = simple_trial();
  trial.whole = true;
  const Estimate made = estimated({trial}, {100, 0, true, 5'000}, Detector::is_made);
  EXPECT_DOUBLE_EQ(made.seconds.value(), 13);
  EXPECT_EQ(made.bytes.value().low, 106'000);
  EXPECT_EQ(made.bytes.value().high, 106'000);
  // Another input of this kind is longer.
  EXPECT_DOUBLE_EQ(estimated({trial}, {200, 0, true, 0}, Detector::is_made).seconds.value(),
                   2 + 20 + 1);
}

TEST(Estimate, CountsAKeyFrameEvery250FramesAndWidensTheRange) {
  // Without its key frame of 10,000 bytes, the trial has 99 frames of 90,000 bytes together. Three
  // key frames begin 501 frames. The container adds 10 bytes a frame. Sound has 50 bytes a frame.
  const double video = 3 * 10'000 + 498 * (90'000 / 99.0);
  const Estimate made = estimated({simple_trial()}, {501, 0, true, {}}, Detector::is_made);
  EXPECT_NEAR(static_cast<double>(made.bytes.value().low), video * 0.9 + 501 * 60, 1);
  // The largest size has as many key frames as the trial: 1,000 bytes a frame.
  EXPECT_NEAR(static_cast<double>(made.bytes.value().high), 501'000 * 1.1 + 501 * 60, 1);
  // The index of the input may know the sound exactly.
  const Estimate known = estimated({simple_trial()}, {501, 0, true, 77'777}, Detector::is_made);
  EXPECT_NEAR(static_cast<double>(known.bytes.value().low), video * 0.9 + 501 * 10 + 77'777, 1);
}

TEST(Estimate, HasAnOrderAlsoIfTheKeyFrameIsSmall) {
  Trial trial = simple_trial();
  trial.frames = 2;
  trial.bytes = {10'100, 100, 0, 10'100};
  const Estimate made = estimated({trial}, {1000, 0, true, 0}, Detector::is_made);
  EXPECT_NEAR(static_cast<double>(made.bytes.value().low), 5'050'000 * 0.9, 1);
  EXPECT_NEAR(static_cast<double>(made.bytes.value().high), (4 * 100 + 996 * 10'000) * 1.1, 1);
}

TEST(Estimate, GoesFromTheSmallestPlaceToTheLargest) {
  Trial small = simple_trial();
  small.bytes = {50'000, 5'000, 5'000, 56'000};
  const std::vector<Trial> trials{simple_trial(), small, simple_trial()};
  const Estimate all = estimated(trials, {1000, 0, true, 0}, Detector::is_made);
  const Estimate low = estimated({small}, {1000, 0, true, 0}, Detector::is_made);
  const Estimate high = estimated({simple_trial()}, {1000, 0, true, 0}, Detector::is_made);
  EXPECT_EQ(all.bytes.value().low, low.bytes.value().low);
  EXPECT_EQ(all.bytes.value().high, high.bytes.value().high);
}

TEST(Estimate, IsUnknownIfTheNumberOfFramesIs) {
  const Estimate made = estimated({simple_trial()}, {0, 0, true, {}}, Detector::is_made);
  EXPECT_DOUBLE_EQ(made.fps, 10);
  EXPECT_FALSE(made.seconds);
  EXPECT_FALSE(made.bytes);
}

TEST(Estimate, HasNoSizeWithoutVideo) {
  Trial trial = simple_trial();
  trial.bytes = {};
  const Estimate made = estimated({trial}, {1000, 0, false, {}}, Detector::is_made);
  EXPECT_TRUE(made.seconds);
  EXPECT_FALSE(made.bytes);
}

TEST(Estimate, CanHoldASingleFrame) {
  Trial trial = simple_trial();
  trial.frames = 1;
  trial.bytes = {10'000, 10'000, 0, 10'000};
  trial.steady_fps = 0;
  const Estimate made = estimated({trial}, {3, 0, true, 0}, Detector::is_made);
  EXPECT_DOUBLE_EQ(made.seconds.value(), 2 + 3 * 11);
  EXPECT_EQ(made.bytes.value().high, 33'000);
}

}  // namespace
}  // namespace facepipe::app
