// These tests compare the channels of whole pictures with an oracle that computes in double
// precision. The channels must be bit-equal with all instruction sets and numbers of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <random>

#include "detector/acf/cpu/acf_detector.h"
#include "tests/detector/acf/models.h"
#include "tests/detector/acf/oracle.h"
#include "tests/detector/files.h"
#include "tests/detector/jpeg.h"
#include "tests/support/instruction_sets.h"

namespace facepipe::detector::acf {
namespace {

std::shared_ptr<const Model> model() {
  static const auto made = std::make_shared<const Model>(test::small_model(60, 5));
  return made;
}

cv::Mat city() {
  static const Frame frame = test::read_jpeg(test::city_file());
  RgbMaker maker;
  return maker.picture(frame).clone();
}

cv::Mat flat(Size size, const cv::Vec4b& color) {
  return {size.height, size.width, CV_8UC4, cv::Scalar(color)};
}

cv::Mat noise(Size size, unsigned seed) {
  cv::Mat made = flat(size, {});
  std::mt19937 bits(seed);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < 4 * size.width; ++x)
      made.ptr(y)[x] = static_cast<std::uint8_t>(bits() % 256);
  return made;
}

/// Returns a picture that is bright on one side of a line through its middle. The line's normal has
/// the angle `angle` (in radians).
cv::Mat edge(Size size, double angle) {
  cv::Mat made = flat(size, {40, 50, 60, 0});
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      if ((x - size.width / 2.0) * std::cos(angle) + (y - size.height / 2.0) * std::sin(angle) > 0)
        made.at<cv::Vec4b>(y, x) = {210, 180, 90, 0};
  return made;
}

/// Returns the channels of all scales, with their padding on each side. result[scale][channel]
/// holds the samples of all rows, one row directly after the other.
std::vector<std::vector<std::vector<float>>> channels_of(const cv::Mat& rgb, int threads = 2,
                                                         SizeLimits limits = {}) {
  Workers workers(threads);
  const PyramidScanner scanner(model(), {rgb.cols, rgb.rows}, limits);
  PyramidScanner::Memory memory;
  std::vector<std::vector<std::vector<float>>> all;
  for (std::size_t i = 0; i < scanner.scales().size(); ++i) {
    const Planes& planes = scanner.channels(rgb, i, workers, memory);
    auto& scale = all.emplace_back();
    for (int c = 0; c < kChannels; ++c) {
      std::vector<float>& samples = scale.emplace_back();
      for (int y = 0; y < planes.size().height; ++y)
        samples.insert(samples.end(), planes.row(c, y), planes.row(c, y) + planes.size().width);
    }
  }
  return all;
}

/// Expects that the channels differ from the oracle's by at most 1e-4 in all cells except for a
/// share `other_decisions`. In these cells, single precision can choose another colour channel as
/// the strongest.
void expect_as_oracle(const cv::Mat& rgb, double other_decisions, SizeLimits limits = {}) {
  const Size size{rgb.cols, rgb.rows};
  const std::vector<Scale> scales = plan_scales(*model(), size, limits);
  const auto expected = test::oracle_pyramid(*model(), rgb, scales);
  const auto found = channels_of(rgb, 2, limits);
  ASSERT_EQ(found.size(), expected.size());
  std::size_t cells = 0;
  std::size_t differ = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t k = 0; k < found[i][0].size(); ++k) {
      bool same = true;
      for (std::size_t c = 0; c < kChannels; ++c) {
        ASSERT_EQ(found[i][c].size(), expected[i][c].samples.size());
        same = same && std::abs(double{found[i][c][k]} - expected[i][c].samples[k]) <= 1e-4;
      }
      ++cells;
      differ += same ? 0 : 1;
    }
  EXPECT_GT(cells, 0U);
  EXPECT_LE(static_cast<double>(differ), other_decisions * static_cast<double>(cells))
      << differ << " of " << cells << " cells";
}

TEST(AcfChannels, AreTheOraclesOnAPhoto) {
  expect_as_oracle(city()(cv::Rect(100, 90, 300, 221)), .001);
}

TEST(AcfChannels, AreTheOraclesOnNoise) { expect_as_oracle(noise({97, 121}, 3), .001); }

TEST(AcfChannels, AreTheOraclesWhereThePictureIsEnlarged) {
  expect_as_oracle(city()(cv::Rect(170, 100, 83, 70)), .001, {10, 0});
}

TEST(AcfChannels, AreTheOraclesOnSizesThatNothingDivides) {
  for (const Size size : {Size{41, 53}, {20, 26}, {21, 27}, {22, 26}, {23, 95}, {130, 31}})
    expect_as_oracle(noise(size, 9), .001);
}

TEST(AcfChannels, AreTheOraclesOnBlackAndFlatPictures) {
  expect_as_oracle(flat({60, 70}, {}), 0);
  expect_as_oracle(flat({60, 70}, {255, 255, 255, 0}), 0);
  expect_as_oracle(flat({60, 70}, {200, 10, 90, 0}), 0);
  for (const auto& scale : channels_of(flat({60, 70}, {})))
    for (const auto& plane : scale)
      for (const float sample : plane) EXPECT_TRUE(std::isfinite(sample));
}

TEST(AcfChannels, SeeEdgesAtAllAngles) {
  for (int step = 0; step < 12; ++step) {
    const double angle = step * std::numbers::pi / 12;
    const cv::Mat picture = edge({64, 64}, angle);
    SCOPED_TRACE(step);
    expect_as_oracle(picture, .001);
    // Most of the sum of the orientation channels must be in the two bins nearest to the angle.
    const auto found = channels_of(picture)[0];
    double bins[kOrientations] = {};
    double all = 0;
    for (std::size_t b = 0; b < kOrientations; ++b)
      for (const float value : found[kMagnitude + 1 + b]) {
        bins[b] += double{value};
        all += double{value};
      }
    const int low = step / 2;
    const double near = bins[low] + bins[(low + 1) % kOrientations];
    EXPECT_GT(near, .8 * all);
  }
}

TEST(AcfChannels, AreTheSameBitsWithAllInstructionSets) {
  const cv::Mat picture = city()(cv::Rect(60, 40, 251, 203));
  const auto expected = channels_of(picture, 2, {15, 0});
  const auto sets = test::instruction_sets();
  EXPECT_GE(sets.size(), 2U);
  for (const std::string_view set : sets) {
    test::force_instruction_set(set);
    EXPECT_EQ(channels_of(picture, 2, {15, 0}), expected) << set;
  }
  test::use_best_instruction_set();
}

TEST(AcfChannels, AreTheSameBitsWithAnyNumberOfThreads) {
  const cv::Mat picture = city()(cv::Rect(60, 40, 251, 203));
  const auto expected = channels_of(picture, 1);
  for (const int threads : {2, 3, 7}) EXPECT_EQ(channels_of(picture, threads), expected) << threads;
}

TEST(AcfChannels, AreFiniteAndInRange) {
  for (const auto& scale : channels_of(noise({200, 180}, 4)))
    for (std::size_t c = 0; c < kChannels; ++c)
      for (const float sample : scale[c]) EXPECT_TRUE(sample >= 0 && sample < 20) << c;
}

}  // namespace
}  // namespace facepipe::detector::acf
