// Defines the arithmetic of aggregate channel features: how a pixel, a gradient, a cell and a tree
// are computed, operation by operation. The method is that of Dollar et al. 2014, as their toolbox
// implements it, and of Van Ranst et al. on GPUs.
//
// All operations are in single precision. Each operation is rounded to nearest, and they run in the
// order written here, without fused multiply-add. So all devices and all instruction sets compute
// the same channels, bit for bit. On CUDA, explicit intrinsics prevent fused multiply-add; on the
// CPU, the option -ffp-contract=off prevents it. The toolbox itself uses the processor's
// approximate reciprocals and a table of arc cosines. So its results on processors of different
// makers differ by about 1e-3.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/host_device.h"

namespace facepipe::detector::acf {

inline constexpr int kShrink = 4;        ///< width and height of a cell, in pixels
inline constexpr int kOrientations = 6;  ///< number of orientation bins; each covers pi / 6
inline constexpr int kColors = 3;        ///< number of colours; L, U and V are the first channels
inline constexpr int kMagnitude = 3;     ///< index of the magnitude's channel; the histograms
                                         ///< follow
inline constexpr int kChannels = kColors + 1 + kOrientations;
/// radius of the triangle filter; magnitudes are divided by the filter's result
inline constexpr int kRadius = 5;
inline constexpr int kLightnessEntries = 1025;  ///< length of lightness_table()

[[nodiscard]] FACEPIPE_HOST_DEVICE inline float add(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}

[[nodiscard]] FACEPIPE_HOST_DEVICE inline float sub(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fsub_rn(a, b);
#else
  return a - b;
#endif
}

[[nodiscard]] FACEPIPE_HOST_DEVICE inline float mul(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

[[nodiscard]] FACEPIPE_HOST_DEVICE inline float div(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fdiv_rn(a, b);
#else
  return a / b;
#endif
}

[[nodiscard]] FACEPIPE_HOST_DEVICE inline float root(float a) {
#ifdef __CUDA_ARCH__
  return __fsqrt_rn(a);
#else
  return std::sqrt(a);
#endif
}

[[nodiscard]] FACEPIPE_HOST_DEVICE inline float magnitude_of(float a) { return a < 0 ? -a : a; }

/// Returns `place`, or the index of the border sample if `place` is beyond the border.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline int within(int place, int length) {
  return place < 0 ? 0 : place < length ? place : length - 1;
}

// --- Colours -------------------------------------------------------------------------------------

/// (x + kRounder) - kRounder is x, rounded to the nearest whole number, halves to even. This holds
/// for |x| < 2^22.
inline constexpr float kRounder = 12582912.0F;

/// Returns red, green or blue as a whole number 0..255. `y`, `u` and `v` are 8-bit samples. `row`
/// is a row of the matrix that fill_to_rgb() writes.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float color_of(float y, float u, float v,
                                                         const float (&row)[4]) {
  const float chroma = add(add(mul(row[1], u), mul(row[2], v)), row[3]);
  const float value = sub(add(add(mul(row[0], y), chroma), kRounder), kRounder);
  return value < 0 ? 0.0F : value > 255.0F ? 255.0F : value;
}

/// Holds a pixel's CIE LUV. Units are chosen so that the values are roughly 0..1.
struct Luv {
  float l = 0;
  float u = 0;
  float v = 0;
};

/// This matrix turns red, green and blue, each 0..1, into X, Y and Z.
inline constexpr float kXyz[3][3] = {
    {.430574F, .341550F, .178325F}, {.222015F, .706655F, .071330F}, {.020183F, .129553F, .939180F}};
inline constexpr float kLevel = static_cast<float>(1.0 / 255);
inline constexpr float kWhiteU = static_cast<float>(13 * .197833);
inline constexpr float kWhiteV = static_cast<float>(13 * .468331);
inline constexpr float kLeastU = static_cast<float>(88.0 / 270);
inline constexpr float kLeastV = static_cast<float>(134.0 / 270);
inline constexpr float kTiny = 1e-35F;  ///< keeps the divisor of black above 0

/// Returns the CIE LUV of a pixel. Red, green and blue are whole numbers 0..255. `lightness` must
/// be lightness_table().
[[nodiscard]] FACEPIPE_HOST_DEVICE inline Luv luv_of(float red, float green, float blue,
                                                     const float* lightness) {
  const float r = mul(red, kLevel);
  const float g = mul(green, kLevel);
  const float b = mul(blue, kLevel);
  const float x = add(add(mul(kXyz[0][0], r), mul(kXyz[0][1], g)), mul(kXyz[0][2], b));
  const float y = add(add(mul(kXyz[1][0], r), mul(kXyz[1][1], g)), mul(kXyz[1][2], b));
  const float z = add(add(mul(kXyz[2][0], r), mul(kXyz[2][1], g)), mul(kXyz[2][2], b));
  const int entry = static_cast<int>(mul(y, 1024.0F));
  const float l = lightness[entry < kLightnessEntries ? entry : kLightnessEntries - 1];
  const float k = div(1.0F, add(add(add(x, mul(15.0F, y)), mul(3.0F, z)), kTiny));
  return {l, add(mul(l, sub(mul(mul(52.0F, x), k), kWhiteU)), kLeastU),
          add(mul(l, sub(mul(mul(117.0F, y), k), kWhiteV)), kLeastV)};
}

// --- Sums ----------------------------------------------------------------------------------------

/// Returns a sample, smoothed by [1 2 1] / 4. Callers smooth first vertically, then horizontally.
/// At the border, they use the sample itself as the missing neighbour.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float smoothed(float before, float here, float after) {
  return mul(add(add(before, after), add(here, here)), 0.25F);
}

/// Adds up the samples of a cell. Callers add first its four rows, then its four columns.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float sum_of_four(float a, float b, float c, float d) {
  return add(add(a, b), add(c, d));
}
inline constexpr float kCellShare = 1.0F / (kShrink * kShrink);

/// Adds up six neighbouring samples: pair0, pair2 and pair4 are the sums of two neighbours that
/// begin at samples 0, 2 and 4. A sum of six sums of six has the weights of a triangle, 1..6..1.
/// Beyond its border, the picture is mirrored, so the outermost sample is repeated.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float sum_of_six(float pair0, float pair2, float pair4) {
  return add(add(pair0, pair2), pair4);
}

// --- Gradients -----------------------------------------------------------------------------------

/// The `factor` of slope() for a sample with two neighbours. At the border, the sample itself
/// replaces its missing neighbour, and `factor` is 1.
inline constexpr float kHalf = 0.5F;
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float slope(float before, float after, float factor) {
  return mul(sub(after, before), factor);
}
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float squared(float gx, float gy) {
  return add(mul(gx, gx), mul(gy, gy));
}

/// 6 / pi * arctan(r) is about r (c0 + c1 r^2 + ...) for 0 <= r <= 1, with an error of at most
/// 1e-7. angle_factor(i) is c_i. The factors were fitted to make the error as small as possible.
inline constexpr int kAngleFactors = 8;
[[nodiscard]] FACEPIPE_HOST_DEVICE constexpr float angle_factor(int i) {
  constexpr float kFactors[kAngleFactors] = {1.9098581F,   -0.63655347F,  0.38095134F,
                                             -0.2656353F,  0.18415236F,   -0.10678462F,
                                             0.041755132F, -0.0077436417F};
  return kFactors[i];
}

/// Returns the angle of a gradient in units of pi / 6, 0 <= angle < 6. A gradient and its opposite
/// have the same angle. The angle is the arc cosine of gx / magnitude; if gy < 0, it is the arc
/// cosine for the opposite gradient.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float orientation_of(float gx, float gy) {
  const float x = magnitude_of(gx);
  const float y = magnitude_of(gy);
  const bool is_steep = y > x;
  const float most = is_steep ? y : x;
  const float r = div(is_steep ? x : y, most > 0 ? most : 1.0F);
  const float z = mul(r, r);
  float sum = angle_factor(kAngleFactors - 1);
  for (int i = kAngleFactors - 2; i >= 0; --i) sum = add(mul(sum, z), angle_factor(i));
  float angle = mul(r, sum);
  if (is_steep) angle = sub(3.0F, angle);
  if ((gx < 0) != (gy < 0)) angle = sub(6.0F, angle);
  return angle >= 6.0F ? sub(angle, 6.0F) : angle;
}

/// normalized() divides a magnitude by the mean of the magnitudes around it. `sum` is the sum of
/// the magnitudes around it, weighted by the triangle in both directions.
inline constexpr float kTriangleShare = static_cast<float>(1.0 / 1296);
inline constexpr float kNormalizer = .005F;
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float normalized(float magnitude, float sum) {
  return div(magnitude, add(mul(sum, kTriangleShare), kNormalizer));
}

/// An orientation lies between two bins, `bin` and `next`. Each bin gets a share of the pixel's
/// magnitude.
struct BinShares {
  int bin;
  int next;
  float to_bin;
  float to_next;
};
[[nodiscard]] FACEPIPE_HOST_DEVICE inline BinShares shares_of(float magnitude, float orientation) {
  const int bin = static_cast<int>(orientation);
  const float rest = sub(orientation, static_cast<float>(bin));
  return {bin, bin == kOrientations - 1 ? 0 : bin + 1, mul(magnitude, sub(1.0F, rest)),
          mul(magnitude, rest)};
}
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float share_of(const BinShares& shares, int bin) {
  const float of_next = bin == shares.next ? shares.to_next : 0.0F;
  return bin == shares.bin ? shares.to_bin : of_next;
}

}  // namespace facepipe::detector::acf
