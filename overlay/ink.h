// The overlay's colours as samples of a frame's own kind of YUV.
#pragma once

#include <cstdint>

#include "core/frame.h"

namespace facepipe {

/// Red, green and blue after the transfer function, 0..1.
struct Rgb {
  double r = 0;
  double g = 0;
  double b = 0;
};

/// Sample values as they stand in memory: the format's shift is applied.
struct InkSamples {
  std::uint16_t y = 0;
  std::uint16_t u = 0;
  std::uint16_t v = 0;
  friend bool operator==(const InkSamples&, const InkSamples&) = default;
};

/// `rgb` by the frame's matrix, range and bit depth: core/color.h's samples_of_rgb(), rounded. In
/// HDR (PQ and HLG) 1 means the white of graphics, 203 cd/m2 (ITU-R BT.2408), not the format's
/// brightest. Greys have exactly neutral chroma, but for matrix 11.
[[nodiscard]] InkSamples ink_samples(const Rgb& rgb, const PixelFormat& format,
                                     const ColorInfo& color, Size size);

}  // namespace facepipe
