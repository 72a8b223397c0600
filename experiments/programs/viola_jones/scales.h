// The scales at which Nguyen et al. 2013 (paper 003) look for faces, and the windows of each.
#pragma once

#include <vector>

#include "core/geometry.h"

namespace facepipe::viola_jones {

/// Columns and rows of windows of a block of threads, as published.
inline constexpr int kBlockSide = 16;
inline constexpr double kRatio = 1.2;  ///< of a scale to the one before

/// The window, not the picture, is scaled. It lies at all places that are whole numbers of steps
/// from the upper left corner and where it is wholly inside of the picture.
struct Scale {
  double factor = 1;
  int step = 1;  ///< pixels from one place to the next: floor(factor)
  Size window;   ///< pixels, rounded
  Size places;   ///< how many a row has, and how many rows there are
  Size blocks;  ///< as published: floor(side of the picture / (16 * step)), which covers all places
};

/// 1, 1.2, 1.44 ... as long as the window fits. Throws std::invalid_argument where that many blocks
/// don't cover all places: for windows of less than 17 pixels.
[[nodiscard]] std::vector<Scale> paper_scales(Size window, Size picture);

/// Those of OpenCV's cascade on CUDA: their whole parts, each once.
[[nodiscard]] std::vector<Scale> whole_scales(Size window, Size picture);

/// Some rows of blocks of one scale's.
struct Part {
  int scale = 0;  ///< its index
  int first_block_row = 0;
  int block_rows = 0;
  friend bool operator==(const Part&, const Part&) = default;
};

/// Each scale as one.
[[nodiscard]] std::vector<Part> whole_parts(const std::vector<Scale>& scales);

}  // namespace facepipe::viola_jones
