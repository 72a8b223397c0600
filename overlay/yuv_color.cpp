#include "overlay/yuv_color.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace facepipe::overlay {
namespace {

// Code points of H.273 for transfer functions.
constexpr int kTransferPq = 16;
constexpr int kTransferHlg = 18;

double graphics_white(int transfer) {
  if (transfer == kTransferPq) return 0.58;
  if (transfer == kTransferHlg) return 0.75;
  return 1;
}

/// Returns the sample as it is stored: rounded, clipped to the bit depth, shifted.
std::uint16_t quantise(double sample, const PixelFormat& format) {
  const double largest = std::exp2(format.bits) - 1;
  const auto clipped = static_cast<unsigned>(std::clamp(std::round(sample), 0.0, largest));
  return static_cast<std::uint16_t>(clipped << format.shift);
}

}  // namespace

YuvConverter::YuvConverter(const PixelFormat& format, const ColorInfo& color, Size size)
    : format_(format),
      map_(samples_of_rgb(color, format, size)),
      white_(graphics_white(color.transfer)) {}

YuvColor YuvConverter::operator()(const Rgb& rgb) const {
  const auto sample = [&](const std::array<double, 4>& row) {
    const double shown = row[0] * rgb.r + row[1] * rgb.g + row[2] * rgb.b;
    return quantise(white_ * shown + row[3], format_);
  };
  return {sample(map_[0]), sample(map_[1]), sample(map_[2])};
}

YuvColor yuv_color(const Rgb& rgb, const PixelFormat& format, const ColorInfo& color, Size size) {
  return YuvConverter(format, color, size)(rgb);
}

}  // namespace facepipe::overlay
