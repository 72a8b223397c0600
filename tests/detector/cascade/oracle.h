// Which windows a cascade lets pass, in plain loops: OpenCV 4's rules as detector/cascade/levels.h
// and model/cascade.h word them, one window at a time, one pixel of the level at a time.
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

/// OpenCV's INTER_LINEAR_EXACT.
[[nodiscard]] GreyBytes resized(const GreyBytes& picture, Size size);

/// Windows that pass, clipped to nothing, by level, row and column.
[[nodiscard]] std::vector<Box> windows_of(const detector::cascade::Cascade& cascade,
                                          const GreyBytes& picture,
                                          const detector::cascade::LevelOptions& options);

/// The first stages of a cascade, which let many more windows pass.
[[nodiscard]] detector::cascade::Cascade cut(detector::cascade::Cascade cascade,
                                             std::size_t stages);

}  // namespace facepipe::test
