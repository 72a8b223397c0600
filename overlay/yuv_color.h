// Converts the overlay's colours to sample values of a frame's pixel format.
#pragma once

#include <cstdint>

#include "core/color.h"
#include "core/frame.h"

namespace facepipe::overlay {

/// Holds red, green and blue in 0..1. They are non-linear: the transfer function has been applied.
struct Rgb {
  double r = 0;
  double g = 0;
  double b = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// Holds a colour as the samples that a frame stores: quantised, with the format's shift applied.
struct YuvColor {
  std::uint16_t y = 0;
  std::uint16_t u = 0;
  std::uint16_t v = 0;
  friend bool operator==(const YuvColor&, const YuvColor&) = default;
};

/// Converts red, green and blue by a frame's matrix, range and bit depth (samples_of_rgb() of
/// core/color.h) and rounds. For HDR transfers (PQ and HLG) the value 1 is the reference white of
/// graphics, 203 cd/m2 (ITU-R BT.2408), not the brightest value of the format. With every matrix
/// except 11, the chroma of a grey is exactly neutral.
class YuvConverter {
 public:
  YuvConverter(const PixelFormat& format, const ColorInfo& color, Size size);
  [[nodiscard]] YuvColor operator()(const Rgb& rgb) const;

 private:
  PixelFormat format_;
  ColorMap map_;
  double white_;
};

/// Converts one colour by a YuvConverter.
[[nodiscard]] YuvColor yuv_color(const Rgb& rgb, const PixelFormat& format, const ColorInfo& color,
                                 Size size);

}  // namespace facepipe::overlay
