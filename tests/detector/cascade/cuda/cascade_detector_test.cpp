// These tests compare a cascade on the device with the CPU's. The candidates must be bit-equal.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "detector/cascade/cuda/cascade_detector.h"
#include "tests/detector/cascade/cuda/on_cpu.h"
#include "tests/detector/cascade/files.h"
#include "tests/detector/cascade/oracle.h"
#include "tests/detector/cascade/pictures.h"
#include "tests/detector/cnn/cuda/described_frame.h"
#include "tests/detector/cuda_candidates.h"
#include "tests/support/all_pictures.h"
#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

using cascade::Cascade;
using cascade::LevelOptions;
using test::count_of;
using test::run;

constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};
constexpr PixelFormat kP010{true, 1, 1, 10, 6, true};
constexpr std::uint32_t kCapacity = 65536;

/// Returns a generated picture with faces, as a frame in NVDEC's layout.
Frame frame_of(const test::PictureRecipe& recipe, const PixelFormat& format,
               Orientation orientation = {}, bool full_range = true) {
  test::FrameSpec spec{format, recipe.size, orientation};
  spec.color.full_range = full_range;
  Frame frame = test::make_noise_frame(spec, recipe.seed);
  const std::vector<std::uint8_t> pixels = test::make_picture(recipe);
  const auto width = static_cast<std::size_t>(recipe.size.width);
  for (int y = 0; y < recipe.size.height; ++y)
    for (int x = 0; x < recipe.size.width; ++x) {
      const std::size_t at = static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
      const unsigned finer = format.bits == 8 ? 0 : static_cast<unsigned>(x + y) % 4;
      const unsigned sample = (unsigned{pixels[at]} << (format.bits - 8)) + finer;
      test::set_raw_sample(frame, 0, x, y, sample << format.shift);
    }
  return frame;
}

Cascade cascade_of(const std::string& name, std::size_t stages = 1000) {
  return test::cut(cascade::read_cascade(test::installed_cascade(name)), stages);
}

std::unique_ptr<CudaDetection> detection_of(const Cascade& cascade, const Frame& frame,
                                            const LevelOptions& levels, float threshold,
                                            std::uint32_t capacity = kCapacity) {
  return cascade::make_cuda_cascade_detector(cascade, test::layout_of(frame),
                                             {levels, threshold, capacity})
      ->make_detection();
}

void expect_same(const Cascade& cascade, const Frame& frame, const LevelOptions& levels,
                 float threshold, std::size_t at_least) {
  const Detections expected = test::on_cpu(cascade, frame, levels, threshold);
  EXPECT_GE(expected.size(), at_least) << "or the case tells nothing";
  const Detections found = run(*detection_of(cascade, frame, levels, threshold), frame);
  EXPECT_EQ(found.boxes, expected.boxes);
  EXPECT_EQ(found.scores, expected.scores);
  EXPECT_FALSE(found.has_landmarks());
}

constexpr test::PictureRecipe kVga{{640, 480}, 3, 14};
constexpr test::PictureRecipe kOdd{{401, 299}, 2, 10};

struct Case {
  std::string name;
  std::size_t stages;
  std::size_t at_least;
};

class CudaCascade : public testing::TestWithParam<Case> {};

TEST_P(CudaCascade, FindsWhatTheCpuFinds) {
  const Cascade cascade = cascade_of(GetParam().name, GetParam().stages);
  for (const test::PictureRecipe& recipe : {kVga, kOdd})
    expect_same(cascade, frame_of(recipe, kNv12), {1.1}, 0.2F, GetParam().at_least);
}

INSTANTIATE_TEST_SUITE_P(
    Cascades, CudaCascade,
    testing::Values(Case{"frontalface_default", 99, 50}, Case{"frontalface_default", 5, 5000},
                    Case{"frontalface_alt", 99, 50}, Case{"frontalface_alt2", 99, 50},
                    Case{"frontalface_alt2", 5, 5000}, Case{"frontalface_alt_tree", 99, 10},
                    Case{"profileface", 99, 1}, Case{"licence_plate_rus_16stages", 3, 100}),
    [](const auto& parameter) {
      return parameter.param.name + "_" + std::to_string(parameter.param.stages);
    });

TEST(CudaCascadeFrames, OfAllFormatsAndOrientations) {
  const Cascade cascade = cascade_of("frontalface_default", 6);
  for (const PixelFormat& format : {kNv12, kP010})
    for (const bool full_range : {false, true})
      for (const Orientation orientation : test::all_orientations())
        expect_same(cascade, frame_of({{202, 150}, 17, 4}, format, orientation, full_range), {1.2},
                    0.3F, 10);
}

TEST(CudaCascadeFrames, OfAllFactorsAndSizes) {
  const Cascade cascade = cascade_of("frontalface_alt", 6);
  for (const double factor : {1.03, 1.3, 2.0, 5.0})
    expect_same(cascade, frame_of(kOdd, kNv12), {factor}, 0.3F, 10);
  expect_same(cascade, frame_of(kOdd, kNv12), {1.1, 40, 90}, 0.3F, 10);
  for (const Size size : {Size{24, 24}, Size{26, 200}, Size{200, 26}, Size{54, 56}})
    expect_same(cascade, frame_of({size, 5, 1}, kNv12), {1.1}, 0.2F, 0);
}

TEST(CudaCascadeFrames, SmallerThanTheWindowHaveNone) {
  const Cascade cascade = cascade_of("frontalface_default");
  for (const Size size : {Size{2, 2}, Size{22, 100}, Size{100, 22}}) {
    const Frame frame = frame_of({size, 5, 0}, kNv12);
    EXPECT_EQ(run(*detection_of(cascade, frame, {1.1}, 0), frame).size(), 0U);
  }
}

TEST(CudaCascadeCandidates, AreAllWindowsForWhoeverCountsThem) {
  const Cascade cascade = cascade_of("frontalface_default");
  const Frame frame = frame_of(kVga, kNv12);
  const auto detector = cascade::make_cuda_cascade_detector(
      cascade, test::layout_of(frame),
      {.levels = {1.1}, .score_threshold = 0.5F, .capacity = kCapacity, .every_window = true});
  const Detections found = run(*detector->make_detection(), frame);
  const Detections expected = test::every_window_on_cpu(cascade, frame, {1.1});
  EXPECT_GT(expected.size(), 100U);
  EXPECT_EQ(found.boxes, expected.boxes);
  EXPECT_EQ(found.scores, expected.scores);
}

TEST(CudaCascadeGraph, FindsTheSameAHundredTimes) {
  const Cascade cascade = cascade_of("frontalface_default");
  const Frame frame = frame_of(kVga, kNv12);
  const Detections expected = test::on_cpu(cascade, frame, {1.1}, 0.2F);
  const auto detection = detection_of(cascade, frame, {1.1}, 0.2F);
  test::expect_always(*detection, frame, expected);
}

TEST(CudaCascadeCapacity, KeepsTheFirstAndCountsAll) {
  const Cascade cascade = cascade_of("frontalface_default");
  const Frame frame = frame_of(kVga, kNv12);
  Detections expected = test::on_cpu(cascade, frame, {1.1}, 0.2F);
  const auto detection = detection_of(cascade, frame, {1.1}, 0.2F, 20);
  const Detections found = run(*detection, frame);
  EXPECT_EQ(count_of(*detection), expected.size());
  expected.boxes.resize(20);
  EXPECT_EQ(found.boxes, expected.boxes);
}

TEST(CudaCascadeCapacity, TellsOfMoreWindowsThanItScores) {
  const Cascade cascade = cascade_of("frontalface_default", 1);
  const Frame frame = frame_of({{1279, 717}, 5, 30}, kNv12);
  const auto detection = detection_of(cascade, frame, {1.05}, 0, 1000);
  (void)run(*detection, frame);
  EXPECT_GT(count_of(*detection), 1000U);
}

TEST(CudaCascadeWindow, OfAnySize) {
  for (const Size window : {Size{24, 24}, Size{24, 90}, Size{90, 24}, Size{128, 128}})
    for (const Size picture : {Size{402, 300}, Size{702, 396}}) {
      Cascade cascade = cascade_of("frontalface_default", 2);
      cascade.window = window;
      // The window's contrast depends on its area, but the features keep their sizes, so the
      // thresholds are scaled.
      const int area = (window.width - 2) * (window.height - 2);
      for (cascade::Node& node : cascade.nodes)
        node.threshold *= 22.0F * 22.0F / static_cast<float>(area);
      expect_same(cascade, frame_of({picture, 3, 14}, kNv12), {1.5}, 0.2F, 1);
    }
}

TEST(CudaCascadeWindow, WhoseFeaturesCountMuchIsExact) {
  Cascade cascade = cascade_of("frontalface_default", 3);
  for (cascade::Feature& feature : cascade.features)
    for (cascade::WeightedRect& rect : feature.rects) rect.weight *= 11;
  for (cascade::Node& node : cascade.nodes) node.threshold *= 11;
  expect_same(cascade, frame_of(kVga, kNv12), {1.2}, 0.2F, 1000);
}

}  // namespace
}  // namespace facepipe::detector
