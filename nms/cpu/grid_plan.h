// Plans the layout of a grid of cells: in which cells a box is filed, and in which cells a
// candidate looks for boxes that may suppress it.
//
// Results are exact with every layout. A winner that suppresses by IoU > t overlaps more than t of
// the loser's width w. So the loser's centre is less than (1/2 - t) w away from the winner, and w
// is less than the winner's width / t. The same is true of heights. A box is filed in all cells
// within Reach::beyond of its sides. So each candidate that it suppresses finds it in the cell of
// the candidate's centre. All steps from a coordinate to a cell are monotone, rounding included.
// `beyond` has a margin of 2 % for the rounding of widths and of the IoU.
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
  /// With fewer candidates, measurements show that a single cell is faster.
  static constexpr std::uint32_t kFewestCandidates = 256;

  float left = 0;
  float top = 0;
  float cells_per_pixel = 0;
  std::uint32_t columns = 1;
  std::uint32_t rows = 1;

  [[nodiscard]] std::uint32_t cells() const { return columns * rows; }
  [[nodiscard]] bool single() const { return cells() == 1; }
};

/// Returns the layout for the collected candidates; a single cell if several wouldn't be faster.
GridPlan plan_grid(const Collected& collected);

struct Reach {
  /// If true, a candidate looks into the cell of its centre; otherwise into all cells that its box
  /// covers.
  bool by_centre;
  /// How far beyond its sides a box is filed, as a factor of its own width and height.
  float beyond;
};
Reach reach_of(NmsOverlap overlap, float threshold);

/// Stands for the cell of a candidate that must look into all cells that it covers. Its sides are
/// so small or so large that the margin above may not be sufficient.
inline constexpr std::uint16_t kNoCell = 0xFFFF;

/// Writes the cell of each box's centre, or kNoCell. An invalid box gets any value.
void find_centre_cells(const Box* boxes, std::uint32_t count, const GridPlan& plan,
                       std::uint16_t* centre_cells);

}  // namespace facepipe::nms
