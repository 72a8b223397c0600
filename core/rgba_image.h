// Holds a picture with transparency that the user supplies, to be drawn on frames.
#pragma once

#include <cstdint>
#include <vector>

#include "core/geometry.h"

namespace facepipe {

/// Holds red, green, blue and alpha of each pixel, a byte each, row by row, upright. Alpha 0 is
/// transparent, and the colours are not multiplied by alpha. Colours are non-linear, as in a PNG
/// file.
struct RgbaImage {
  static constexpr int kMostSide = 4096;

  Size size;  ///< each side is 1..kMostSide
  std::vector<std::uint8_t> bytes;
};

}  // namespace facepipe
