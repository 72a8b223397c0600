#include "detector/cascade/grey.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

using cascade::GreyMaker;
using test::FrameSpec;
using test::make_noise_frame;

// Returns the grey level of a sample by H.273's definition of full and limited range.
int grey_of(double sample, int bits, bool full_range) {
  const double step = std::pow(2.0, bits - 8);
  const double white = std::pow(2.0, bits) - 1;
  const double share = full_range ? sample / white : (sample / step - 16) / 219;
  return static_cast<int>(std::nearbyint(std::clamp(share, 0.0, 1.0) * 255));
}

PixelFormat of_bits(int bits, int shift = 0) {
  PixelFormat format;
  format.bits = bits;
  format.shift = shift;
  return format;
}

int sample(const Frame& frame, std::size_t plane, int x, int y) {
  return static_cast<int>(test::raw_sample(frame, plane, x, y)) >> frame.format.shift;
}

/// Returns the number of pixels that differ from expected(x, y), the grey level at a stored
/// position.
template <typename Expected>
int wrong_pixels(const Frame& frame, const cv::Mat& grey, const Expected& expected) {
  EXPECT_EQ(grey.size(), cv::Size(frame.upright().width, frame.upright().height));
  int wrong = 0;
  for (int y = 0; y < frame.size.height; ++y)
    for (int x = 0; x < frame.size.width; ++x) {
      const test::PixelPlace to = test::upright_place({x, y}, frame.size, frame.orientation);
      wrong += grey.at<std::uint8_t>(to.y, to.x) == expected(x, y) ? 0 : 1;
    }
  return wrong;
}

TEST(Grey, IsLumaOfFullRangeInEightBits) {
  for (const PixelFormat& format :
       {of_bits(8), of_bits(10), of_bits(10, 6), of_bits(12), of_bits(16)})
    for (const bool full_range : {false, true}) {
      FrameSpec spec{format, {53, 38}};
      spec.color.full_range = full_range;
      const Frame frame = make_noise_frame(spec, 3);
      GreyMaker maker;
      EXPECT_EQ(wrong_pixels(frame, maker.grey(frame),
                             [&](int x, int y) {
                               return grey_of(sample(frame, 0, x, y), format.bits, full_range);
                             }),
                0)
          << format.bits << ' ' << full_range;
    }
}

TEST(Grey, StandsUpright) {
  GreyMaker maker;
  for (const Size size : {Size{17, 40}, Size{40, 17}})
    for (int turns = 0; turns < 4; ++turns)
      for (const bool mirrored : {false, true}) {
        FrameSpec spec{of_bits(8), size, {turns, mirrored}};
        spec.color.full_range = true;
        const Frame frame = make_noise_frame(spec, 4);
        EXPECT_EQ(wrong_pixels(frame, maker.grey(frame),
                               [&](int x, int y) { return sample(frame, 0, x, y); }),
                  0)
            << turns << mirrored;
      }
}

TEST(Grey, WeighsRedGreenAndBlue) {
  PixelFormat format = of_bits(8);
  format.log2_chroma_w = format.log2_chroma_h = 0;
  FrameSpec spec{format, {31, 20}};
  spec.color.matrix = ColorInfo::kIdentityMatrix;
  const Frame frame = make_noise_frame(spec, 5);
  GreyMaker maker;
  EXPECT_EQ(wrong_pixels(frame, maker.grey(frame),
                         [&](int x, int y) {
                           const int sum = 9617 * sample(frame, 0, x, y) +
                                           1868 * sample(frame, 1, x, y) +
                                           4899 * sample(frame, 2, x, y);
                           return (sum + 8192) / 16384;
                         }),
            0);
}

TEST(Grey, TakesFramesOfAnyKindAfterEachOther) {
  GreyMaker maker;
  for (const int bits : {8, 10, 8, 12, 10}) {
    const Frame frame = make_noise_frame({of_bits(bits), {bits + 20, 30}}, 6);
    EXPECT_EQ(
        wrong_pixels(frame, maker.grey(frame),
                     [&](int x, int y) { return grey_of(sample(frame, 0, x, y), bits, false); }),
        0);
  }
}

TEST(GreyTable, KeepsEightBitsOfFullRange) {
  const auto table = cascade::grey_table(8, true);
  for (std::size_t i = 0; i < 256; ++i) EXPECT_EQ(table[i], i);
}

}  // namespace
}  // namespace facepipe::detector
