#include "pipeline/overlay_ink.h"

#include <algorithm>
#include <cmath>

namespace facepipe {
namespace {

// Code points of H.273.
constexpr int kTransferPq = 16;
constexpr int kTransferHlg = 18;
constexpr int kMatrixYCgCo = 8;

struct Weights {
  double red;
  double blue;
};

Weights luma_weights(int matrix) {
  switch (matrix) {
    case 4:
      return {0.30, 0.11};  // FCC
    case 5:
    case 6:
      return {0.299, 0.114};  // BT.601
    case 7:
      return {0.212, 0.087};  // SMPTE 240M
    case 9:
    case 10:  // BT.2020
    // Constant intensity and chromaticity-derived systems come with BT.2020's primaries in
    // practice; its matrix gives a hue near enough for a drawing.
    case 11:
    case 12:
    case 13:
    case 14:
      return {0.2627, 0.0593};
    default:
      return {0.2126, 0.0722};  // BT.709
  }
}

/// Luma 0..1, chroma -0.5..0.5.
struct Yuv {
  double y;
  double u;
  double v;
};

Yuv to_yuv(const Rgb& rgb, int matrix) {
  if (matrix == kMatrixYCgCo)
    return {0.25 * rgb.r + 0.5 * rgb.g + 0.25 * rgb.b, -0.25 * rgb.r + 0.5 * rgb.g - 0.25 * rgb.b,
            0.5 * rgb.r - 0.5 * rgb.b};
  const auto [red, blue] = luma_weights(matrix);
  const double y = red * rgb.r + (1 - red - blue) * rgb.g + blue * rgb.b;
  return {y, (rgb.b - y) / (2 * (1 - blue)), (rgb.r - y) / (2 * (1 - red))};
}

double graphics_white(int transfer) {
  if (transfer == kTransferPq) return 0.58;
  if (transfer == kTransferHlg) return 0.75;
  return 1;
}

/// value * scale + offset as a sample; scale and offset are those of 8 bits in limited range.
std::uint16_t quantise(double value, double scale, double offset, const PixelFormat& format) {
  const double sample = std::round(value * scale + offset);
  const double largest = std::exp2(format.bits) - 1;
  const auto clipped = static_cast<unsigned>(std::clamp(sample, 0.0, largest));
  return static_cast<std::uint16_t>(clipped << format.shift);
}

}  // namespace

InkSamples ink_samples(const Rgb& rgb, const PixelFormat& format, const ColorInfo& color,
                       Size size) {
  const double white = graphics_white(color.transfer);
  const Rgb shown{rgb.r * white, rgb.g * white, rgb.b * white};
  const double step = std::exp2(format.bits - 8);
  const double full = std::exp2(format.bits) - 1;
  if (color.matrix == ColorInfo::kIdentityMatrix)
    return {quantise(shown.g, full, 0, format), quantise(shown.b, full, 0, format),
            quantise(shown.r, full, 0, format)};
  const Yuv yuv = to_yuv(shown, matrix_or_default(color, size));
  const double luma_scale = color.full_range ? full : 219 * step;
  const double luma_offset = color.full_range ? 0 : 16 * step;
  const double chroma_scale = color.full_range ? full : 224 * step;
  const double chroma_offset = 128 * step;
  return {quantise(yuv.y, luma_scale, luma_offset, format),
          quantise(yuv.u, chroma_scale, chroma_offset, format),
          quantise(yuv.v, chroma_scale, chroma_offset, format)};
}

}  // namespace facepipe
