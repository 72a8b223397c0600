// Tells how the pixels of a picture become those of its small luma. It is the same on every device.
#pragma once

#include "core/frame.h"
#include "core/geometry.h"
#include "core/host_device.h"
#include "core/turning.h"

namespace facepipe::track {

/// Tells where the two stored rows or columns of a cell lie. Cells are counted from the upright
/// picture's origin. If an axis of odd length is reversed, the first stored cell is the single one.
struct CellAxis {
  int length = 0;
  int lead = 0;

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

/// Returns the mean of four samples without their lower `drop` bits, in 8 bits.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline unsigned mean_of_four(unsigned sum, int drop) {
  const unsigned rounded =
      (sum + (2U << static_cast<unsigned>(drop))) >> (2U + static_cast<unsigned>(drop));
  return rounded < 255U ? rounded : 255U;
}

struct LumaCells {
  CellAxis x;
  CellAxis y;
  /// Lower bits of a sample that are dropped: the format's shift, and what exceeds 8 bits.
  int drop = 0;

  LumaCells() = default;
  LumaCells(const PixelFormat& format, Size stored, Orientation orientation)
      : drop(format.shift + format.bits - 8) {
    const int turns = orientation.quarter_turns;
    // Mirroring comes first, then the turns. This tells which stored axes run against the upright
    // ones.
    const bool x_reversed = (turns == 2 || turns == 3) != orientation.mirrored;
    const bool y_reversed = turns == 1 || turns == 2;
    x = {stored.width, x_reversed ? stored.width % 2 : 0};
    y = {stored.height, y_reversed ? stored.height % 2 : 0};
  }

  /// Returns the size before the picture is turned.
  [[nodiscard]] FACEPIPE_HOST_DEVICE Size size() const { return {x.cells(), y.cells()}; }
};

}  // namespace facepipe::track
