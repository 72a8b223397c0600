// These tests compare the conversion of a stream's colours to RGB with H.273, sample by sample.
#include "core/color.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/rgb_oracle.h"

namespace facepipe {
namespace {

using ToRgb = float[3][4];

/// Returns a pixel's red, green and blue by the matrix. Clamps the values like the functions that
/// use the matrix.
std::array<double, 3> by_matrix(const Frame& frame, int x, int y) {
  ToRgb to_rgb{};
  fill_to_rgb(to_rgb, frame.color, frame.format, frame.size);
  const auto code = [&](std::size_t plane, int column, int row) {
    return static_cast<double>(test::raw_sample(frame, plane, column, row) >> frame.format.shift);
  };
  const double yuv1[] = {code(0, x, y), code(1, x / 2 * 2, y / 2), code(1, x / 2 * 2 + 1, y / 2),
                         1};
  std::array<double, 3> rgb{};
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < 4; ++i) rgb[c] += to_rgb[c][i] * yuv1[i];
    rgb[c] = std::clamp(rgb[c], 0.0, 255.0);
  }
  return rgb;
}

TEST(ToRgb, IsWhatTheStandardSays) {
  const PixelFormat formats[] = {
      {true, 1, 1, 8, 0, true}, {true, 1, 1, 10, 6, true}, {true, 1, 1, 16, 0, true}};
  for (const PixelFormat& format : formats)
    for (const int matrix : {1, 4, 5, 6, 7, 9, 10})
      for (const bool full_range : {false, true}) {
        test::FrameSpec spec{format, {16, 12}};
        spec.color.matrix = matrix;
        spec.color.full_range = full_range;
        const Frame frame = test::make_noise_frame(spec, 5);
        const int known = matrix == 10 ? 9 : matrix;
        for (int y = 0; y < 12; ++y)
          for (int x = 0; x < 16; ++x) {
            const auto expected = test::rgb_at(frame, x, y, known);
            const auto actual = by_matrix(frame, x, y);
            for (std::size_t c = 0; c < 3; ++c)
              ASSERT_NEAR(actual[c], expected[c], 1e-3) << "matrix " << matrix << " channel " << c;
          }
      }
}

TEST(ToRgb, GuessesAnUntaggedMatrixByTheNumberOfLines) {
  ToRgb low{};
  ToRgb high{};
  ToRgb bt709{};
  const PixelFormat nv12{true, 1, 1, 8, 0, true};
  fill_to_rgb(low, {}, nv12, {720, 576});
  fill_to_rgb(high, {}, nv12, {1280, 720});
  fill_to_rgb(bt709, {.matrix = 1}, nv12, {720, 576});
  EXPECT_TRUE(std::equal(&high[0][0], &high[0][0] + 12, &bt709[0][0]));
  EXPECT_FALSE(std::equal(&low[0][0], &low[0][0] + 12, &bt709[0][0]));
}

TEST(ToRgb, TakesTheIdentityAsGreenBlueAndRed) {
  ToRgb to_rgb{};
  fill_to_rgb(to_rgb, {.matrix = ColorInfo::kIdentityMatrix}, {true, 1, 1, 10, 6, true}, {});
  const float unit = 255.0F / 1023.0F;
  const float expected[3][4] = {{0, 0, unit, 0}, {unit, 0, 0, 0}, {0, unit, 0, 0}};
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 4; ++column)
      EXPECT_FLOAT_EQ(to_rgb[row][column], expected[row][column]);
}

}  // namespace
}  // namespace facepipe
