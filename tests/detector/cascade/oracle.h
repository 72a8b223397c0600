// Finds the windows that a cascade accepts, in plain loops: window by window, pixel by pixel. It
// follows the rules of OpenCV 4 that detector/cascade/levels.h and model/cascade.h describe.
#pragma once

#include <cstdint>
#include <vector>

#include "core/geometry.h"
#include "detector/cascade/levels.h"
#include "detector/cascade/model/cascade.h"

namespace facepipe::test {

/// Holds grey levels, one byte for each pixel, row by row.
struct GreyBytes {
  Size size;
  std::vector<std::uint8_t> pixels;

  [[nodiscard]] int at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                  static_cast<std::size_t>(x)];
  }
};

/// Resizes a picture like OpenCV's INTER_LINEAR_EXACT.
[[nodiscard]] GreyBytes resized(const GreyBytes& picture, Size size);

/// Returns the accepted windows in the order of levels, rows and columns. They can exceed the
/// picture.
[[nodiscard]] std::vector<Box> windows_of(const detector::cascade::Cascade& cascade,
                                          const GreyBytes& picture,
                                          const detector::cascade::LevelOptions& options);

/// Returns a cascade with only the first `stages` stages, which accept many more windows.
[[nodiscard]] detector::cascade::Cascade cut(detector::cascade::Cascade cascade,
                                             std::size_t stages);

}  // namespace facepipe::test
