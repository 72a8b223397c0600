#include "core/color.h"

#include <algorithm>
#include <cmath>

namespace facepipe {
namespace {

using Row = std::array<double, 3>;
using Matrix = std::array<Row, 3>;

// These are code points of H.273's MatrixCoefficients.
constexpr int kYCgCo = 8;
constexpr int kSmpte2085 = 11;
constexpr int kFromPrimaries = 12;
constexpr int kFromPrimariesConstantLuminance = 13;
constexpr int kYCgCoRe = 16;
constexpr int kYCgCoRo = 17;

/// Holds the luma weights of red and blue (H.273, table 4).
struct Weights {
  double red;
  double blue;
};

struct CodedWeights {
  int matrix;
  Weights weights;
};

constexpr std::array kWeights{CodedWeights{1, {0.2126, 0.0722}},  // BT.709
                              CodedWeights{4, {0.30, 0.11}},      // FCC
                              CodedWeights{5, {0.299, 0.114}},    // BT.601, 625 lines
                              CodedWeights{6, {0.299, 0.114}},    // BT.601, 525 lines
                              CodedWeights{7, {0.212, 0.087}}};   // SMPTE 240M
constexpr Weights kBt2020Weights{0.2627, 0.0593};

/// Holds the chromaticity coordinates x and y.
struct Point {
  double x;
  double y;
};

struct Primaries {
  Point red;
  Point green;
  Point blue;
  Point white;
};

constexpr Point kWhiteC{0.310, 0.316};
constexpr Point kWhiteD65{0.3127, 0.3290};

struct CodedPrimaries {
  int code;
  Primaries primaries;
};

/// This is table 2 of H.273, without the code points that name no primaries. CIE's X, Y and Z are
/// left out too, because only Y of them is luminance.
constexpr std::array kPrimaries{
    CodedPrimaries{1, {{0.640, 0.330}, {0.300, 0.600}, {0.150, 0.060}, kWhiteD65}},  // BT.709
    CodedPrimaries{4, {{0.67, 0.33}, {0.21, 0.71}, {0.14, 0.08}, kWhiteC}},    // BT.470 System M
    CodedPrimaries{5, {{0.64, 0.33}, {0.29, 0.60}, {0.15, 0.06}, kWhiteD65}},  // BT.470 System B, G
    CodedPrimaries{6, {{0.630, 0.340}, {0.310, 0.595}, {0.155, 0.070}, kWhiteD65}},  // BT.601, 525
    CodedPrimaries{7, {{0.630, 0.340}, {0.310, 0.595}, {0.155, 0.070}, kWhiteD65}},  // SMPTE 240M
    CodedPrimaries{8, {{0.681, 0.319}, {0.243, 0.692}, {0.145, 0.049}, kWhiteC}},    // film
    CodedPrimaries{9, {{0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}, kWhiteD65}},  // BT.2020
    CodedPrimaries{11, {{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}, {0.314, 0.351}}},  // DCI P3
    CodedPrimaries{12, {{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}, kWhiteD65}},  // P3 with D65
    CodedPrimaries{22, {{0.630, 0.340}, {0.295, 0.605}, {0.155, 0.077}, kWhiteD65}}};

Row cross(const Row& a, const Row& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double dot(const Row& a, const Row& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Returns how much red and blue contribute to the luminance of white (0..1).
Weights weights_from_primaries(int code) {
  const auto* const found = std::ranges::find(kPrimaries, code, &CodedPrimaries::code);
  if (found == kPrimaries.end()) return kBt2020Weights;
  const Primaries& p = found->primaries;
  const auto xyz = [](const Point& point) { return Row{point.x, point.y, 1 - point.x - point.y}; };
  const Row red = xyz(p.red);
  const Row green = xyz(p.green);
  const Row blue = xyz(p.blue);
  const Row white = xyz(p.white);
  // This is Cramer's rule for white = a * red + b * green + c * blue; luminance is the sum of y.
  const double all = dot(red, cross(green, blue)) * white[1];
  return {red[1] * dot(white, cross(green, blue)) / all,
          blue[1] * dot(red, cross(green, white)) / all};
}

Weights weights_of(int matrix, int primaries) {
  if (matrix == kFromPrimaries || matrix == kFromPrimariesConstantLuminance)
    return weights_from_primaries(primaries);
  const auto* const found = std::ranges::find(kWeights, matrix, &CodedWeights::matrix);
  return found != kWeights.end() ? found->weights : kBt2020Weights;
}

/// Returns luma (0..1) and chroma (-0.5..0.5) as functions of red, green and blue (0..1).
Matrix luma_and_differences(const Weights& w) {
  const Row luma{w.red, 1 - w.red - w.blue, w.blue};
  const auto difference = [&](double red, double blue, double weight) {
    const double scale = 2 * (1 - weight);
    return Row{(red - luma[0]) / scale, -luma[1] / scale, (blue - luma[2]) / scale};
  };
  return {luma, difference(0, 1, w.blue), difference(1, 0, w.red)};
}

/// Turns a value into a sample: unit * value + zero.
struct Scale {
  double unit;
  double zero;
};

Scale luma_scale(bool full_range, int bits) {
  if (full_range) return {std::exp2(bits) - 1, 0};
  return {219 * std::exp2(bits - 8), 16 * std::exp2(bits - 8)};
}

Scale chroma_scale(bool full_range, int bits) {
  const double unit = full_range ? std::exp2(bits) - 1 : 224 * std::exp2(bits - 8);
  return {unit, std::exp2(bits - 1)};
}

ColorMap scaled(const Matrix& rows, const std::array<Scale, 3>& scales) {
  ColorMap map{};
  for (std::size_t i = 0; i < 3; ++i)
    map[i] = {rows[i][0] * scales[i].unit, rows[i][1] * scales[i].unit, rows[i][2] * scales[i].unit,
              scales[i].zero};
  return map;
}

/// H.273 computes Y, Cg and Co from integers, so chroma has luma's unit. Red, green and blue have
/// `fewer_bits` bits fewer than Y, Cg and Co.
ColorMap ycgco(bool full_range, int bits, int fewer_bits) {
  const Scale luma = luma_scale(full_range, bits - fewer_bits);
  // If chroma has more bits than red, green and blue, its differences are not halved.
  const double chroma = (fewer_bits > 0 ? 2 : 1) * luma.unit;
  const double neutral = std::exp2(bits - 1);
  return scaled({{{0.25, 0.5, 0.25}, {-0.25, 0.5, -0.25}, {0.5, 0, -0.5}}},
                {{luma, {chroma, neutral}, {chroma, neutral}}});
}

ColorMap inverse(const ColorMap& map) {
  const auto row = [&](std::size_t i) { return Row{map[i][0], map[i][1], map[i][2]}; };
  const Row zero{map[0][3], map[1][3], map[2][3]};
  const Matrix columns{cross(row(1), row(2)), cross(row(2), row(0)), cross(row(0), row(1))};
  const double determinant = dot(row(0), columns[0]);
  ColorMap result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const Row line{columns[0][i] / determinant, columns[1][i] / determinant,
                   columns[2][i] / determinant};
    result[i] = {line[0], line[1], line[2], -dot(line, zero)};
  }
  return result;
}

}  // namespace

ColorMap samples_of_rgb(const ColorInfo& color, const PixelFormat& format, Size size) {
  const int matrix = matrix_or_default(color, size);
  const Scale luma = luma_scale(color.full_range, format.bits);
  const Scale chroma = chroma_scale(color.full_range, format.bits);
  switch (matrix) {
    case ColorInfo::kIdentityMatrix: {
      const Scale full = luma_scale(true, format.bits);
      return scaled({{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}}, {full, full, full});
    }
    case kYCgCo:
      return ycgco(color.full_range, format.bits, 0);
    case kYCgCoRe:
      return ycgco(color.full_range, format.bits, 2);
    case kYCgCoRo:
      return ycgco(color.full_range, format.bits, 1);
    case kSmpte2085:
      return scaled({{{0, 1, 0}, {0, -0.5, 0.986566 / 2}, {0.5, -0.991902 / 2, 0}}},
                    {luma, chroma, chroma});
    default:
      return scaled(luma_and_differences(weights_of(matrix, color.primaries)),
                    {luma, chroma, chroma});
  }
}

ColorMap rgb_of_samples(const ColorInfo& color, const PixelFormat& format, Size size) {
  return inverse(samples_of_rgb(color, format, size));
}

void fill_to_rgb(float (&to_rgb)[3][4], const ColorInfo& color, const PixelFormat& format,
                 Size size) {
  constexpr double kWhite = 255;
  const ColorMap map = rgb_of_samples(color, format, size);
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 4; ++column)
      to_rgb[row][column] = static_cast<float>(kWhite * map[row][column]);
}

}  // namespace facepipe
