// The arithmetic of aggregate channel features (Dollar et al. 2014, as their toolbox has it; Van
// Ranst et al. on GPUs): what a pixel, a gradient, a cell and a tree are, operation by operation.
//
// Single precision, each operation rounded to nearest, in the order written here, none contracted:
// so that all devices and all instruction sets give the same channels, bit for bit. On CUDA
// explicit intrinsics prevent contraction; on the CPU the option -ffp-contract=off. The toolbox
// itself takes the processor's approximate reciprocals and a table of arc cosines, and differs from
// one maker of processors to the other by some 1e-3.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/host_device.h"

namespace facepipe::detector::acf {

inline constexpr int kShrink = 4;        ///< pixels of a cell, each way
inline constexpr int kOrientations = 6;  ///< of pi / 6 each
inline constexpr int kColors = 3;        ///< L, U, V: the first channels
inline constexpr int kMagnitude = 3;     ///< the channel of magnitudes; histograms follow it
inline constexpr int kChannels = kColors + 1 + kOrientations;
inline constexpr int kRadius = 5;               ///< of the triangle that magnitudes are divided by
inline constexpr int kLightnessEntries = 1025;  ///< lightness_table()

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

/// The sample at the border stands for those beyond it.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline int within(int place, int length) {
  return place < 0 ? 0 : place < length ? place : length - 1;
}

// --- Colours -------------------------------------------------------------------------------------

/// Added and taken off again, it rounds |x| < 2^22 to the nearest whole number, halves to even.
inline constexpr float kRounder = 12582912.0F;

/// One of red, green and blue as a whole number 0..255, of 8-bit samples and a row of a matrix as
/// fill_to_rgb() makes it.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float color_of(float y, float u, float v,
                                                         const float (&row)[4]) {
  const float chroma = add(add(mul(row[1], u), mul(row[2], v)), row[3]);
  const float value = sub(add(add(mul(row[0], y), chroma), kRounder), kRounder);
  return value < 0 ? 0.0F : value > 255.0F ? 255.0F : value;
}

/// In units that make them 0..1, roughly.
struct Luv {
  float l = 0;
  float u = 0;
  float v = 0;
};

/// What X, Y and Z are of red, green and blue, 0..1.
inline constexpr float kXyz[3][3] = {
    {.430574F, .341550F, .178325F}, {.222015F, .706655F, .071330F}, {.020183F, .129553F, .939180F}};
inline constexpr float kLevel = static_cast<float>(1.0 / 255);
inline constexpr float kWhiteU = static_cast<float>(13 * .197833);
inline constexpr float kWhiteV = static_cast<float>(13 * .468331);
inline constexpr float kLeastU = static_cast<float>(88.0 / 270);
inline constexpr float kLeastV = static_cast<float>(134.0 / 270);
inline constexpr float kTiny = 1e-35F;  ///< black divides by it

/// CIE LUV of a pixel of whole levels 0..255; `lightness` is lightness_table().
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

/// [1 2 1] / 4: first down, then across, the border repeated.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float smoothed(float before, float here, float after) {
  return mul(add(add(before, after), add(here, here)), 0.25F);
}

/// Of four rows, then of four columns: those of a cell.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float sum_of_four(float a, float b, float c, float d) {
  return add(add(a, b), add(c, d));
}
inline constexpr float kCellShare = 1.0F / (kShrink * kShrink);

/// The triangle 1..6..1 as two runs of six ones: of sums of two neighbours, those at 0, 2 and 4.
/// The picture is mirrored at its border, with the outermost sample repeated.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float sum_of_six(float pair0, float pair2, float pair4) {
  return add(add(pair0, pair2), pair4);
}

// --- Gradients -----------------------------------------------------------------------------------

/// Where only one neighbour is there, `factor` is 1 and the sample itself stands for the other.
inline constexpr float kHalf = 0.5F;
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float slope(float before, float after, float factor) {
  return mul(sub(after, before), factor);
}
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float squared(float gx, float gy) {
  return add(mul(gx, gx), mul(gy, gy));
}

/// 6 / pi * arctan(r) = r (c0 + c1 r^2 + ...) for 0 <= r <= 1, within 1e-7: c_i, fitted to least
/// error.
inline constexpr int kAngleFactors = 8;
[[nodiscard]] FACEPIPE_HOST_DEVICE constexpr float angle_factor(int i) {
  constexpr float kFactors[kAngleFactors] = {1.9098581F,   -0.63655347F,  0.38095134F,
                                             -0.2656353F,  0.18415236F,   -0.10678462F,
                                             0.041755132F, -0.0077436417F};
  return kFactors[i];
}

/// The angle of a gradient in units of pi / 6, 0 <= angle < 6, that of its opposite, too: arc
/// cosine of gx / magnitude, of the opposite where gy < 0.
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

/// A magnitude, by the mean around it: `sum` is weighted by the triangle both ways.
inline constexpr float kTriangleShare = static_cast<float>(1.0 / 1296);
inline constexpr float kNormalizer = .005F;
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float normalized(float magnitude, float sum) {
  return div(magnitude, add(mul(sum, kTriangleShare), kNormalizer));
}

/// What a pixel gives to the two bins beside its orientation.
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
