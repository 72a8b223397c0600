// Plans the layout of a grid of cells. The layout says in which cells a box is stored, and in which
// cells a candidate looks for boxes that may suppress it.
//
// Results are exact with every layout. Suppose that a winner suppresses a loser of width w, by IoU
// > t. Then the winner overlaps more than t * w of this width. So the loser's centre is in the
// winner, or its distance from the winner is less than (1/2 - t) * w. Also, w is less than the
// winner's width / t. The same is true of heights. A box is stored in all cells that are within
// Reach::beyond of its sides. So the cell of a loser's centre always holds its winner. All steps
// from a coordinate to a cell are monotone, even with rounding. `beyond` has a margin of 2 % for
// the rounding of widths and of the IoU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/geometry.h"
#include "nms/cpu/collect.h"
#include "nms/nms.h"

namespace facepipe::nms {

/// Describes a grid of square cells that begins at (left, top). The outermost cells extend to
/// infinity.
struct GridPlan {
  static constexpr std::uint32_t kMaxColumns = 64;
  static constexpr std::uint32_t kMaxCells = kMaxColumns * kMaxColumns;
  /// Measurements show that a single cell is faster for fewer candidates than this.
  static constexpr std::uint32_t kFewestCandidates = 256;

  float left = 0;
  float top = 0;
  float cells_per_pixel = 0;
  std::uint32_t columns = 1;
  std::uint32_t rows = 1;

  [[nodiscard]] std::uint32_t cells() const { return columns * rows; }
  [[nodiscard]] bool single() const { return cells() == 1; }
};

/// Returns the layout for the collected candidates. It is a single cell if more cells wouldn't be
/// faster.
GridPlan plan_grid(const Collected& collected);

struct Reach {
  /// If true, a candidate looks only into the cell of its centre; otherwise into all cells that its
  /// box covers.
  bool by_centre;
  /// Says how far beyond its sides a box is stored, as a factor of its own width and height.
  float beyond;
};
Reach reach_of(NmsOverlap overlap, float threshold);

/// Instead of a cell: the candidate must look into all cells that its box covers. One reason is
/// that the sides of the box are so small or so large that the margin of 2 % (see above) may not be
/// enough.
inline constexpr std::uint16_t kNoCell = 0xFFFF;

/// Writes the cell of each box's centre, or kNoCell. For an invalid box, it may write any value.
void find_centre_cells(const Box* boxes, std::uint32_t count, const GridPlan& plan,
                       std::uint16_t* centre_cells);

}  // namespace facepipe::nms
