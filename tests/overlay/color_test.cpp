// These tests check colours with all values of H.273's MatrixCoefficients. The overlay must draw a
// colour by the standard's formulas, and the detector's conversion must give the drawn colour back.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/color.h"
#include "overlay/yuv_color.h"

namespace facepipe::overlay {
namespace {

constexpr int kLastMatrix = 20;
constexpr Size kHd{1920, 1080};
constexpr Size kSd{720, 576};

using Triple = std::array<double, 3>;

/// Returns the corners of the RGB cube, a grey, and two other colours.
std::vector<Rgb> colors() {
  std::vector<Rgb> all{{0.5, 0.5, 0.5}, {0.2, 0.7, 0.4}, {0.9, 0.3, 0.6}};
  for (int i = 0; i < 8; ++i)
    all.push_back({static_cast<double>(i & 1), static_cast<double>(i >> 1 & 1),
                   static_cast<double>(i >> 2 & 1)});
  return all;
}

PixelFormat bits(int count) { return {false, 0, 0, count, 0, true}; }

// --- H.273, section 8.3, with E'R, E'G and E'B in 0..1

double luma_code(double e, int depth, bool full) {
  const double step = std::pow(2.0, depth - 8);
  return full ? (std::pow(2.0, depth) - 1) * e : step * (219 * e + 16);
}

double chroma_code(double e, int depth, bool full) {
  const double step = std::pow(2.0, depth - 8);
  const double middle = std::pow(2.0, depth - 1);
  return full ? (std::pow(2.0, depth) - 1) * e + middle : step * (224 * e + 128);
}

Triple weighted(const Rgb& e, double kr, double kb, int depth, bool full) {
  const double y = kr * e.r + (1 - kr - kb) * e.g + kb * e.b;
  const double pb = 0.5 * (e.b - y) / (1 - kb);
  const double pr = 0.5 * (e.r - y) / (1 - kr);
  return {luma_code(y, depth, full), chroma_code(pb, depth, full), chroma_code(pr, depth, full)};
}

/// @param more  how many bits Y, Cg and Co have in addition to those of red, green and blue
Triple ycgco(const Rgb& e, int depth, bool full, int more) {
  const double r = luma_code(e.r, depth - more, full);
  const double g = luma_code(e.g, depth - more, full);
  const double b = luma_code(e.b, depth - more, full);
  const double middle = std::pow(2.0, depth - 1);
  if (more == 0)
    return {0.5 * g + 0.25 * (r + b), 0.5 * g - 0.25 * (r + b) + middle, 0.5 * (r - b) + middle};
  const double co = r - b;  // this uses the standard's lifting steps, without rounding
  const double t = b + co / 2;
  const double cg = g - t;
  return {t + cg / 2, cg + middle, co + middle};
}

Triple smpte_2085(const Rgb& e, int depth, bool full) {
  const double y = e.g;
  const double dz = (0.986566 * e.b - y) / 2;
  const double dx = (e.r - 0.991902 * y) / 2;
  return {luma_code(y, depth, full), chroma_code(dz, depth, full), chroma_code(dx, depth, full)};
}

Triple standard(const Rgb& e, int matrix, int depth, bool full, bool hd) {
  switch (matrix) {
    case 0: {  // identity; in this test, it always has full range
      const double most = std::pow(2.0, depth) - 1;
      return {most * e.g, most * e.b, most * e.r};
    }
    case 1:
      return weighted(e, 0.2126, 0.0722, depth, full);
    case 4:
      return weighted(e, 0.30, 0.11, depth, full);
    case 5:
    case 6:
      return weighted(e, 0.299, 0.114, depth, full);
    case 7:
      return weighted(e, 0.212, 0.087, depth, full);
    case 8:
      return ycgco(e, depth, full, 0);
    case 11:
      return smpte_2085(e, depth, full);
    case 16:
      return ycgco(e, depth, full, 2);
    case 17:
      return ycgco(e, depth, full, 1);
    case 9:
    case 10:  // constant luminance; treated like 9
    case 12:  // derived from primaries, which are unknown here; treated like 9
    case 13:
    case 14:  // ICtCp; treated like 9
    case 15:  // IPT-PQ-C2; treated like 9
      return weighted(e, 0.2627, 0.0593, depth, full);
    default:  // unspecified and reserved; the number of lines decides
      return hd ? weighted(e, 0.2126, 0.0722, depth, full) : weighted(e, 0.299, 0.114, depth, full);
  }
}

struct Case {
  int matrix;
  int depth;
  bool full;
  Size size;

  [[nodiscard]] ColorInfo color() const { return {.matrix = matrix, .full_range = full}; }
  [[nodiscard]] YuvColor drawn(const Rgb& rgb) const {
    return yuv_color(rgb, bits(depth), color(), size);
  }
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << "matrix " << c.matrix << ", " << c.depth << " bits, "
             << (c.full ? "full" : "limited") << ", " << c.size.height << " lines";
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (int matrix = 0; matrix <= kLastMatrix; ++matrix)
    for (const int depth : {8, 10, 16})
      for (const bool full : {false, true})
        for (const Size size : {kHd, kSd}) cases.push_back({matrix, depth, full, size});
  return cases;
}

/// Converts samples to red, green and blue, from 0 to 1 without clamping.
Triple read_back(const YuvColor& drawn, const Case& c) {
  float to_rgb[3][4];
  fill_to_rgb(to_rgb, c.color(), bits(c.depth), c.size);
  Triple rgb{};
  for (std::size_t i = 0; i < 3; ++i)
    rgb[i] =
        (static_cast<double>(to_rgb[i][0]) * drawn.y + static_cast<double>(to_rgb[i][1]) * drawn.u +
         static_cast<double>(to_rgb[i][2]) * drawn.v + static_cast<double>(to_rgb[i][3])) /
        255;
  return rgb;
}

/// Returns the largest error that two steps cause together: rounding samples, which changes each by
/// up to a half, and clamping them to the largest sample, in full range.
double rounding_error(const Case& c) {
  float to_rgb[3][4];
  fill_to_rgb(to_rgb, c.color(), bits(c.depth), c.size);
  double most = 0;
  for (const auto& row : to_rgb)
    most = std::max<double>(most, 0.5 * (std::abs(row[0]) + std::abs(row[1]) + std::abs(row[2])));
  return 1.01 * most / 255 + 1e-5;
}

TEST(Color, IsDrawnByTheStandardsFormulas) {
  for (const Case& c : all_cases())
    for (const Rgb& rgb : colors()) {
      const double most = std::pow(2.0, c.depth) - 1;
      const Triple exact = standard(rgb, c.matrix, c.depth, c.full, c.size.height == kHd.height);
      const YuvColor drawn = c.drawn(rgb);
      ASSERT_NEAR(drawn.y, std::min(exact[0], most), 0.501) << c;
      ASSERT_NEAR(drawn.u, std::min(exact[1], most), 0.501) << c;
      ASSERT_NEAR(drawn.v, std::min(exact[2], most), 0.501) << c;
    }
}

TEST(Color, DrawnAndReadBackIsTheSame) {
  for (const Case& c : all_cases())
    for (const Rgb& rgb : colors()) {
      const Triple found = read_back(c.drawn(rgb), c);
      const double tolerance = rounding_error(c);
      ASSERT_NEAR(found[0], rgb.r, tolerance) << c;
      ASSERT_NEAR(found[1], rgb.g, tolerance) << c;
      ASSERT_NEAR(found[2], rgb.b, tolerance) << c;
    }
}

// The published weights for these primaries are rounded to at most four decimal places.
TEST(Color, DerivesTheMatrixFromThePrimaries) {
  struct Known {
    int primaries;
    int matrix;
    double tolerance;
  };
  for (const Known& known : {Known{1, 1, 2e-4}, Known{9, 9, 2e-4}, Known{7, 7, 2e-3}})
    for (const int matrix : {12, 13}) {
      float derived[3][4];
      float published[3][4];
      const ColorInfo color{.matrix = matrix, .primaries = known.primaries};
      fill_to_rgb(derived, color, bits(8), kHd);
      fill_to_rgb(published, {.matrix = known.matrix}, bits(8), kHd);
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
          EXPECT_NEAR(derived[row][column], published[row][column], 4 * known.tolerance)
              << "primaries " << known.primaries << ", " << row << " " << column;
    }
}

}  // namespace
}  // namespace facepipe::overlay
