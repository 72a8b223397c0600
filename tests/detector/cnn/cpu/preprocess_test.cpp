// These tests compare preprocessing with the formulas of H.273 pixel by pixel, in double precision.
#include "detector/cnn/cpu/preprocess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "tests/support/rgb_oracle.h"
#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

using test::FrameSpec;
using test::make_noise_frame;
using test::RgbOracle;

constexpr std::uint8_t kUntouched = 0xA5;

/// Holds the network's input after one conversion. Bytes that the conversion doesn't write keep the
/// value kUntouched.
struct Converted {
  NetworkFit fit;
  std::vector<std::uint8_t> planes;
  [[nodiscard]] std::uint8_t at(std::size_t channel, int x, int y) const {
    const auto width = static_cast<std::size_t>(fit.network.width);
    const auto height = static_cast<std::size_t>(fit.network.height);
    return planes[(channel * height + static_cast<std::size_t>(y)) * width +
                  static_cast<std::size_t>(x)];
  }
};

Converted convert(const Frame& frame, const std::optional<Size>& detect_size = {},
                  ChannelOrder order = ChannelOrder::rgb, std::uint8_t pad = 0) {
  Converted result{fit_network(frame.upright(), detect_size), {}};
  const Size network = result.fit.network;
  result.planes.assign(
      3U * static_cast<std::size_t>(network.width) * static_cast<std::size_t>(network.height),
      kUntouched);
  Preprocessor(result.fit, order, pad).convert(frame, result.planes);
  return result;
}

void expect_picture(const Converted& converted, const RgbOracle& oracle, double tolerance) {
  double worst = 0;
  for (std::size_t c = 0; c < 3; ++c)
    for (int y = 0; y < oracle.size().height; ++y)
      for (int x = 0; x < oracle.size().width; ++x)
        worst = std::max(worst, std::abs(converted.at(c, x, y) - oracle.at(c, x, y)));
  EXPECT_LE(worst, tolerance);
  testing::Test::RecordProperty("worst", std::to_string(worst));
}

/// Expects `pad` to the right of the picture, and that nothing is written below it.
void expect_padding(const Converted& converted, std::uint8_t pad = 0) {
  const Size network = converted.fit.network;
  const Size content = converted.fit.content;
  for (std::size_t c = 0; c < 3; ++c)
    for (int y = 0; y < network.height; ++y)
      for (int x = y < content.height ? content.width : 0; x < network.width; ++x)
        ASSERT_EQ(converted.at(c, x, y), y < content.height ? pad : kUntouched) << x << "," << y;
}

TEST(Preprocess, PutsThePadBesideThePicture) {
  const Frame frame = test::make_noise_frame({{false, 1, 1, 8, 0, true}, {50, 34}}, 3);
  constexpr std::uint8_t kPad = 114;
  const Converted padded = convert(frame, {}, ChannelOrder::rgb, kPad);
  expect_padding(padded, kPad);
  const Converted black = convert(frame);
  for (int y = 0; y < 34; ++y)
    for (int x = 0; x < 50; ++x) ASSERT_EQ(padded.at(1, x, y), black.at(1, x, y));
}

struct FormatCase {
  const char* name;
  PixelFormat format;
  double tolerance;  ///< in 8-bit levels
};

PixelFormat planar(int log2_chroma_w, int log2_chroma_h, int bits = 8) {
  return {false, log2_chroma_w, log2_chroma_h, bits, 0, true};
}

constexpr double kRounded = 0.501;  // the result is rounded once, and the oracle computes in double
                                    // precision
constexpr double kReduced = 3.2;    // the reduction to 8 bits and the averages are also rounded

const FormatCase kFormats[] = {
    // Columns: name, format, tolerance.
    {"I420", planar(1, 1), kRounded},
    {"I422", planar(1, 0), kRounded},
    {"I444", planar(0, 0), kRounded},
    {"I440", planar(0, 1), kRounded},
    {"I411", planar(2, 0), kRounded},
    {"I410", planar(2, 2), kRounded},
    {"I420p9", planar(1, 1, 9), kReduced},
    {"I420p10", planar(1, 1, 10), kReduced},
    {"I422p10", planar(1, 0, 10), kReduced},
    {"I444p12", planar(0, 0, 12), kReduced},
    {"I420p14", planar(1, 1, 14), kReduced},
    {"I444p16", planar(0, 0, 16), kReduced},
    {"Nv12", {true, 1, 1, 8, 0, true}, kRounded},
    {"P010", {true, 1, 1, 10, 6, true}, kReduced},
    {"Nv16", {true, 1, 0, 8, 0, true}, kRounded},
    {"Nv24", {true, 0, 0, 8, 0, true}, kRounded},
    {"Grey", {false, 0, 0, 8, 0, false}, kRounded},
    {"Grey10", {false, 0, 0, 10, 0, false}, kReduced},
};

class PreprocessFormat : public testing::TestWithParam<FormatCase> {};

TEST_P(PreprocessFormat, IsWhatTheStandardSays) {
  // Sizes are even or odd, multiples of 8 or not, and some are smaller than a vector register.
  for (const Size size :
       {Size{64, 48}, Size{50, 34}, Size{37, 23}, Size{96, 33}, Size{6, 4}, Size{1, 1}}) {
    for (const bool full_range : {false, true}) {
      FrameSpec spec{GetParam().format, size};
      spec.color.matrix = 6;
      spec.color.full_range = full_range;
      const Frame frame = make_noise_frame(spec, 7);
      SCOPED_TRACE(testing::Message()
                   << size.width << "x" << size.height << " full " << full_range);
      const Converted converted = convert(frame);
      expect_picture(converted, RgbOracle(frame, 6), GetParam().tolerance);
      expect_padding(converted);
    }
  }
}

TEST_P(PreprocessFormat, TurnsUpright) {
  for (const Orientation orientation : test::all_orientations()) {
    for (const Size size : {Size{46, 30}, Size{45, 31}}) {
      FrameSpec spec{GetParam().format, size, orientation};
      spec.color.matrix = 1;
      const Frame frame = make_noise_frame(spec, 8);
      SCOPED_TRACE(testing::Message() << orientation.quarter_turns << " " << orientation.mirrored);
      const Converted converted = convert(frame);
      expect_picture(converted, RgbOracle(frame, 1), GetParam().tolerance);
      expect_padding(converted);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, PreprocessFormat, testing::ValuesIn(kFormats),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Preprocess, HonoursTheMatrix) {
  for (const int matrix : {1, 4, 5, 6, 7, 9, 10}) {
    FrameSpec spec{planar(1, 1), {64, 48}};
    spec.color.matrix = matrix;
    const Frame frame = make_noise_frame(spec, 9);
    SCOPED_TRACE(matrix);
    expect_picture(convert(frame), RgbOracle(frame, matrix == 10 ? 9 : matrix), kRounded);
  }
}

TEST(Preprocess, TakesPlanesOfGreenBlueAndRed) {
  for (const int bits : {8, 16}) {
    for (const Orientation orientation : test::all_orientations()) {
      FrameSpec spec{planar(0, 0, bits), {45, 31}, orientation};
      spec.color.matrix = ColorInfo::kIdentityMatrix;
      spec.color.full_range = true;
      const Frame frame = make_noise_frame(spec, 13);
      const Converted converted = convert(frame);
      expect_picture(converted, RgbOracle(frame, 0), bits == 8 ? 0.001 : 1.5);
      expect_padding(converted);
    }
  }
}

TEST(Preprocess, GuessesAnUntaggedMatrixByTheNumberOfLines) {
  const Frame low = make_noise_frame({planar(1, 1), {32, 718}}, 10);
  expect_picture(convert(low), RgbOracle(low, 6), kRounded);
  const Frame high = make_noise_frame({planar(1, 1), {32, 720}}, 11);
  expect_picture(convert(high), RgbOracle(high, 1), kRounded);
}

TEST(Preprocess, SwapsRedAndBlueForBgr) {
  const Frame frame = make_noise_frame({planar(1, 1), {64, 32}}, 12);
  const Converted rgb = convert(frame, {}, ChannelOrder::rgb);
  const Converted bgr = convert(frame, {}, ChannelOrder::bgr);
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 64; ++x)
      for (std::size_t c = 0; c < 3; ++c) ASSERT_EQ(rgb.at(c, x, y), bgr.at(2 - c, x, y));
}

TEST(Preprocess, AveragesAreasWhenItShrinks) {
  for (const Orientation orientation : test::all_orientations()) {
    const Frame frame = make_noise_frame({planar(1, 1), {128, 64}, orientation}, 13);
    const RgbOracle oracle(frame, 6);
    const Size half{oracle.size().width / 2, oracle.size().height / 2};
    const Converted converted = convert(frame, half);
    for (std::size_t c = 0; c < 3; ++c)
      for (int y = 0; y < half.height; ++y)
        for (int x = 0; x < half.width; ++x) {
          double sum = 0;
          for (const int dy : {0, 1})
            for (const int dx : {0, 1}) sum += oracle.at(c, 2 * x + dx, 2 * y + dy);
          ASSERT_NEAR(converted.at(c, x, y), sum / 4, 1.01) << x << "," << y;
        }
  }
}

TEST(Preprocess, EnlargesWithoutShift) {
  Frame frame = make_noise_frame({planar(0, 0), {16, 16}}, 14);
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 16; ++x) {
      test::set_raw_sample(frame, 0, x, y, static_cast<unsigned>(20 + 8 * x + 5 * y));
      test::set_raw_sample(frame, 1, x, y, 128);
      test::set_raw_sample(frame, 2, x, y, 128);
    }
  const Converted converted = convert(frame, Size{64, 64});
  // A linear ramp must stay a linear ramp when it is scaled, except near the edges.
  for (int y = 8; y < 56; ++y)
    for (int x = 8; x < 56; ++x) {
      const double code = 20 + 8 * ((x + 0.5) / 4 - 0.5) + 5 * ((y + 0.5) / 4 - 0.5);
      ASSERT_NEAR(converted.at(1, x, y), (code - 16) * 255 / 219, 2) << x << "," << y;
    }
}

TEST(Preprocess, FollowsAStreamWhoseFormatChanges) {
  const NetworkFit fit = fit_network({64, 48}, {});
  Preprocessor preprocessor(fit, ChannelOrder::rgb);
  Converted converted{fit, std::vector<std::uint8_t>(3U * 64U * 64U)};
  for (const auto& [format, orientation, size] :
       {std::tuple{planar(1, 1), Orientation{}, Size{64, 48}},
        std::tuple{planar(1, 1, 10), Orientation{}, Size{64, 48}},
        std::tuple{planar(1, 0), Orientation{1, false}, Size{48, 64}},
        std::tuple{planar(1, 1), Orientation{2, true}, Size{64, 48}}}) {
    FrameSpec spec{format, size, orientation};
    spec.color.full_range = format.bits == 10;
    const Frame frame = make_noise_frame(spec, 15);
    preprocessor.convert(frame, converted.planes);
    expect_picture(converted, RgbOracle(frame, 6), 5);
  }
}

TEST(Preprocess, RefusesWhatItWasNotMadeFor) {
  const NetworkFit fit = fit_network({64, 48}, {});
  std::vector<std::uint8_t> planes(3U * 64U * 64U);
  Preprocessor preprocessor(fit, ChannelOrder::rgb);
  const Frame turned = make_noise_frame({planar(1, 1), {64, 48}, {1, false}}, 1);
  EXPECT_THROW(preprocessor.convert(turned, planes), Error);
  Frame elsewhere = make_noise_frame({planar(1, 1), {64, 48}}, 1);
  elsewhere.device = {DeviceKind::cuda, 0};
  EXPECT_THROW(preprocessor.convert(elsewhere, planes), Error);
}

}  // namespace
}  // namespace facepipe::detector
