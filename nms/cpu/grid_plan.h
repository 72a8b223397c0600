// Where boxes are filed, and where a candidate has to look for those that may suppress it.
//
// Exact, whatever the layout. What suppresses by IoU > t overlaps more than t of the loser's width
// w: so the loser's centre lies within (1/2 - t) w of it, and w is less than the winner's width /
// t. Likewise for heights. So a box that is filed in all cells within Reach::beyond of its sides is
// met in the one cell of each centre that it may suppress. All steps from a coordinate to a cell
// are monotone, rounding included, and `beyond` has a reserve of 2 % for the rounding of widths and
// IoU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/geometry.h"
#include "nms/cpu/collect.h"
#include "nms/nms.h"

namespace facepipe::nms {

/// Squares from `left`, `top` on; the outermost reach to infinity.
struct GridPlan {
  static constexpr std::uint32_t kMaxColumns = 64;
  static constexpr std::uint32_t kMaxCells = kMaxColumns * kMaxColumns;
  /// Below, one list of all that was kept is faster: measured.
  static constexpr std::uint32_t kFewestCandidates = 256;

  float left = 0;
  float top = 0;
  float cells_per_pixel = 0;
  std::uint32_t columns = 1;
  std::uint32_t rows = 1;

  [[nodiscard]] std::uint32_t cells() const { return columns * rows; }
  [[nodiscard]] bool single() const { return cells() == 1; }
};

/// For `count` of the candidates that were collected: a single cell where more wouldn't pay.
GridPlan plan_grid(const Collected& collected, std::uint32_t count);

struct Reach {
  /// A candidate looks into the cell of its centre; else, into all cells that it covers.
  bool by_centre;
  /// How far beyond its sides a box is filed, in widths and heights of its own.
  float beyond;
};
Reach reach_of(NmsOverlap overlap, float threshold);

/// Of a candidate that has to look into all cells that it covers: its sides are so small or large
/// that the reserve above may not do.
inline constexpr std::uint16_t kNoPlace = 0xFFFF;

/// Writes the cell of each box' centre, or kNoPlace. Boxes that are none get any value.
void find_places(const Box* boxes, std::uint32_t count, const GridPlan& plan,
                 std::uint16_t* places);

}  // namespace facepipe::nms
