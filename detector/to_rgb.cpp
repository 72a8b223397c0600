#include "detector/to_rgb.h"

#include <algorithm>
#include <array>

namespace facepipe {
namespace {

constexpr double kWhite = 255;

/// Luma weights of red and blue (H.273, table 4).
struct Weights {
  double red;
  double blue;
};

Weights weights_of(int matrix) {
  switch (matrix) {
    case 1:
      return {0.2126, 0.0722};
    case 4:
      return {0.30, 0.11};
    case 7:
      return {0.212, 0.087};
    case 9:
    case 10:
      return {0.2627, 0.0593};
    default:
      return {0.299, 0.114};
  }
}

/// value = (code - zero) * unit, luma in 0..1 and chroma in -0.5..0.5.
struct Range {
  double luma_zero;
  double luma_unit;
  double chroma_zero;
  double chroma_unit;
};

Range range_of(const ColorInfo& color, int bits) {
  const auto step = static_cast<double>(1 << (bits - 8));
  const double most = static_cast<double>(1 << bits) - 1;
  if (color.full_range) return {0, 1 / most, 128 * step, 1 / most};
  return {16 * step, 1 / (219 * step), 128 * step, 1 / (224 * step)};
}

using Row = std::array<double, 4>;

void set_row(float (&row_of_matrix)[4], const Row& row) {
  std::transform(row.begin(), row.end(), row_of_matrix,
                 [](double value) { return static_cast<float>(kWhite * value); });
}

}  // namespace

void fill_to_rgb(float (&to_rgb)[3][4], const ColorInfo& color, const PixelFormat& format,
                 Size size) {
  const int matrix = matrix_or_default(color, size);
  if (matrix == ColorInfo::kIdentityMatrix) {
    const double unit = 1 / (static_cast<double>(1 << format.bits) - 1);
    set_row(to_rgb[0], {0, 0, unit, 0});
    set_row(to_rgb[1], {unit, 0, 0, 0});
    set_row(to_rgb[2], {0, unit, 0, 0});
    return;
  }
  const Weights w = weights_of(matrix);
  const Range range = range_of(color, format.bits);
  const double green = 1 - w.red - w.blue;
  // L + u * Cb + v * Cr, in terms of codes.
  const auto set = [&](int index, double u, double v) {
    set_row(to_rgb[index],
            {range.luma_unit, u * range.chroma_unit, v * range.chroma_unit,
             -range.luma_zero * range.luma_unit - (u + v) * range.chroma_zero * range.chroma_unit});
  };
  set(0, 0, 2 * (1 - w.red));
  set(1, -2 * w.blue * (1 - w.blue) / green, -2 * w.red * (1 - w.red) / green);
  set(2, 2 * (1 - w.blue), 0);
}

}  // namespace facepipe
