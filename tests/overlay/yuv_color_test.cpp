// These tests compare the overlay's colours with values that were computed by hand from ITU-T
// H.273.
#include <gtest/gtest.h>

#include <vector>

#include "overlay/yuv_color.h"

namespace facepipe::overlay {
namespace {

constexpr Rgb kWhite{1, 1, 1};
constexpr Rgb kBlack{0, 0, 0};
constexpr Rgb kRed{1, 0, 0};
constexpr Rgb kGreen{0, 1, 0};
constexpr Rgb kBlue{0, 0, 1};
constexpr Size kHd{1920, 1080};

PixelFormat bits(int count, int shift = 0) { return {false, 1, 1, count, shift, true}; }

ColorInfo tagged(int matrix, bool full = false, int transfer = 2) {
  return {matrix, 2, transfer, full, 0};
}

TEST(OverlayColors, FollowsMatrixRangeAndDepth) {
  struct Case {
    const char* what;
    Rgb rgb;
    PixelFormat format;
    ColorInfo color;
    YuvColor samples;
  };
  const std::vector<Case> cases{
      {"white, limited", kWhite, bits(8), tagged(1), {235, 128, 128}},
      {"white, full", kWhite, bits(8), tagged(1, true), {255, 128, 128}},
      {"black, limited", kBlack, bits(8), tagged(6), {16, 128, 128}},
      {"black, full", kBlack, bits(8), tagged(6, true), {0, 128, 128}},
      {"red, BT.601", kRed, bits(8), tagged(6), {81, 90, 240}},
      {"red, BT.601 by its other number", kRed, bits(8), tagged(5), {81, 90, 240}},
      {"green, BT.601", kGreen, bits(8), tagged(6), {145, 54, 34}},
      {"blue, BT.601", kBlue, bits(8), tagged(6), {41, 240, 110}},
      {"red, BT.709", kRed, bits(8), tagged(1), {63, 102, 240}},
      {"green, BT.709", kGreen, bits(8), tagged(1), {173, 42, 26}},
      {"blue, BT.709", kBlue, bits(8), tagged(1), {32, 240, 118}},
      {"red, BT.709, full: clipped at 255", kRed, bits(8), tagged(1, true), {54, 99, 255}},
      {"red, BT.2020, 10 bits", kRed, bits(10), tagged(9), {294, 387, 960}},
      {"green, FCC", kGreen, bits(8), tagged(4), {145, 54, 34}},
      {"green, SMPTE 240M", kGreen, bits(8), tagged(7), {170, 42, 28}},
      {"green, YCgCo", kGreen, bits(8), tagged(8), {126, 238, 128}},
      {"red, GBR", kRed, bits(8), tagged(0, true), {0, 0, 255}},
      {"green, GBR of 16 bits", kGreen, bits(16), tagged(0, true), {65535, 0, 0}},
      {"white, P010", kWhite, bits(10, 6), tagged(1), {940 << 6, 512 << 6, 512 << 6}},
      {"white, 16 bits, full", kWhite, bits(16), tagged(1, true), {65535, 32768, 32768}},
      {"white, 12 bits, limited", kWhite, bits(12), tagged(1), {3760, 2048, 2048}},
      {"white in PQ is the white of graphics",
       kWhite,
       bits(10),
       tagged(9, false, 16),
       {572, 512, 512}},
      {"white in HLG is the white of graphics",
       kWhite,
       bits(10),
       tagged(9, false, 18),
       {721, 512, 512}},
  };
  for (const Case& c : cases) {
    const YuvColor samples = yuv_color(c.rgb, c.format, c.color, kHd);
    EXPECT_EQ(samples.y, c.samples.y) << c.what;
    EXPECT_EQ(samples.u, c.samples.u) << c.what;
    EXPECT_EQ(samples.v, c.samples.v) << c.what;
  }
}

TEST(OverlayColors, UntaggedColourFollowsTheSize) {
  const ColorInfo untagged;
  EXPECT_EQ(yuv_color(kRed, bits(8), untagged, {1280, 720}),
            yuv_color(kRed, bits(8), tagged(1), kHd));
  EXPECT_EQ(yuv_color(kRed, bits(8), untagged, {720, 576}),
            yuv_color(kRed, bits(8), tagged(6), kHd));
}

// Text is drawn only on luma, so its background must have the chroma of a grey.
TEST(OverlayColors, GreysHaveNeutralChroma) {
  for (int matrix = 1; matrix <= 20; ++matrix) {
    if (matrix == 11) continue;  // in SMPTE ST 2085, no grey has neutral chroma
    for (const bool full : {false, true})
      for (const int depth : {8, 9, 10, 12, 14, 16}) {
        const YuvColor samples =
            yuv_color({0.08, 0.08, 0.08}, bits(depth), tagged(matrix, full), kHd);
        EXPECT_EQ(samples.u, 1 << (depth - 1)) << matrix;
        EXPECT_EQ(samples.v, 1 << (depth - 1)) << matrix;
      }
  }
}

}  // namespace
}  // namespace facepipe::overlay
