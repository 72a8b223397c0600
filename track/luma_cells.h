// Says which stored pixels of a picture are averaged for each sample of its small luma. All devices
// share this code.
#pragma once

#include "core/frame.h"
#include "core/geometry.h"
#include "core/host_device.h"
#include "core/turning.h"

namespace facepipe::track {

/// Finds the two stored rows (or columns) of a cell of 2 x 2 pixels. Cells begin at the origin of
/// the upright picture. So if an axis of odd length is reversed, the first stored cell has only one
/// row (or column).
struct CellAxis {
  int length = 0;  ///< rows or columns of the stored picture
  int lead = 0;    ///< 1 if the first stored cell has only one row or column, else 0

  [[nodiscard]] FACEPIPE_HOST_DEVICE int first(int cell) const {
    const int at = 2 * cell - lead;
    return at > 0 ? at : 0;
  }
  [[nodiscard]] FACEPIPE_HOST_DEVICE int second(int cell) const {
    const int at = 2 * cell - lead + 1;
    return at < length ? at : length - 1;
  }
  [[nodiscard]] FACEPIPE_HOST_DEVICE int cells() const { return (length + 1) / 2; }
};

/// Returns the mean of four samples, rounded to 8 bits.
/// @param sum   sum of the samples
/// @param drop  number of the lower bits that are dropped
[[nodiscard]] FACEPIPE_HOST_DEVICE inline unsigned mean_of_four(unsigned sum, int drop) {
  const unsigned rounded =
      (sum + (2U << static_cast<unsigned>(drop))) >> (2U + static_cast<unsigned>(drop));
  return rounded < 255U ? rounded : 255U;
}

struct LumaCells {
  CellAxis x;
  CellAxis y;
  /// Number of lower bits of a sample that are dropped: the format's shift, plus the bits beyond 8.
  int drop = 0;

  LumaCells() = default;
  LumaCells(const PixelFormat& format, Size stored, Orientation orientation)
      : drop(format.shift + format.bits - 8) {
    const int turns = orientation.quarter_turns;
    // Mirroring comes first, then the turns. x_reversed and y_reversed say whether a stored axis
    // runs in the opposite direction of the upright axis.
    const bool x_reversed = (turns == 2 || turns == 3) != orientation.mirrored;
    const bool y_reversed = turns == 1 || turns == 2;
    x = {stored.width, x_reversed ? stored.width % 2 : 0};
    y = {stored.height, y_reversed ? stored.height % 2 : 0};
  }

  /// Returns the number of cells on each stored axis.
  [[nodiscard]] FACEPIPE_HOST_DEVICE Size size() const { return {x.cells(), y.cells()}; }
};

}  // namespace facepipe::track
