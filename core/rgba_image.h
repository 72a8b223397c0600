// A picture with transparency, as a user gives one to put on others.
#pragma once

#include <cstdint>
#include <vector>

#include "core/geometry.h"

namespace facepipe {

/// Pixels of red, green, blue and alpha (0 is transparent; the others are not multiplied by it), a
/// byte each, row by row, upright. Colours are non-linear, as in a PNG file.
struct RgbaImage {
  static constexpr int kMostSide = 4096;

  Size size;  ///< sides of 1..kMostSide
  std::vector<std::uint8_t> bytes;
};

}  // namespace facepipe
