// The scales at which Nguyen et al. 2013 (paper 003) search for faces, and the windows of each
// scale.
#pragma once

#include <vector>

#include "core/geometry.h"

namespace facepipe::viola_jones {

/// A block of threads has this many columns and rows of windows, as published.
inline constexpr int kBlockSide = 16;
inline constexpr double kRatio = 1.2;  ///< ratio of a scale to the one before

/// The window is scaled, not the picture. Its places are a whole number of steps to the right of
/// and below the picture's upper left corner. The window must be completely inside of the picture.
struct Scale {
  double factor = 1;
  int step = 1;  ///< pixels from one place to the next: floor(factor)
  Size window;   ///< size in pixels, rounded
  Size places;   ///< number of places in a row, and number of rows
  Size blocks;  ///< as published: floor(side of the picture / (16 * step)), which covers all places
};

/// Returns the scales 1, ratio, ratio^2 ... while the window fits. Throws std::invalid_argument if
/// the blocks don't cover all places, which happens for windows of less than 17 pixels, or if the
/// ratio isn't above 1.
[[nodiscard]] std::vector<Scale> paper_scales(Size window, Size picture, double ratio = kRatio);

/// Returns the scales of OpenCV's cascade on CUDA: the scales of the paper, truncated to whole
/// numbers, each number once.
[[nodiscard]] std::vector<Scale> whole_scales(Size window, Size picture);

/// Some rows of blocks in one scale.
struct Part {
  int scale = 0;  ///< the scale's index
  int first_block_row = 0;
  int block_rows = 0;
  friend bool operator==(const Part&, const Part&) = default;
};

/// Returns each scale as one part.
[[nodiscard]] std::vector<Part> whole_parts(const std::vector<Scale>& scales);

}  // namespace facepipe::viola_jones
