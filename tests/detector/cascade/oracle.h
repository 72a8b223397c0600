// Finds the windows that a cascade accepts, in plain loops. It follows OpenCV 4's rules as
// detector/cascade/levels.h and model/cascade.h state them, one window and one pixel of the level
// at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/geometry.h"
#include "detector/cascade/levels.h"
#include "detector/cascade/model/cascade.h"

namespace facepipe::test {

/// One byte a pixel, row by row.
struct GreyBytes {
  Size size;
  std::vector<std::uint8_t> pixels;

  [[nodiscard]] int at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                  static_cast<std::size_t>(x)];
  }
};

/// Resizes like OpenCV's INTER_LINEAR_EXACT.
[[nodiscard]] GreyBytes resized(const GreyBytes& picture, Size size);

/// Returns the accepted windows by level, row and column, without clipping them.
[[nodiscard]] std::vector<Box> windows_of(const detector::cascade::Cascade& cascade,
                                          const GreyBytes& picture,
                                          const detector::cascade::LevelOptions& options);

/// Returns the first stages of a cascade, which accept many more windows.
[[nodiscard]] detector::cascade::Cascade cut(detector::cascade::Cascade cascade,
                                             std::size_t stages);

}  // namespace facepipe::test
