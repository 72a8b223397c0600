// Implements the rules `greedy`, `matrix` and `fast` by one sweep over the candidates in rank
// order. Each candidate is compared with the higher ranked candidates that are stored in its cells
// (kept_grid.h).
#pragma once

#include <cstdint>

#include "core/geometry.h"
#include "nms/cpu/kept_grid.h"
#include "nms/nms.h"

namespace facepipe::nms {

struct SweepInput {
  const Box* boxes;                   ///< by index
  const std::uint16_t* centre_cells;  ///< by index, from find_centre_cells(); unused for one cell
  const std::uint32_t* ranked;        ///< indices of valid boxes, by rank
  std::uint32_t count;
  NmsOverlap overlap;
  float threshold;
  /// If true, removed candidates suppress, too (the rules `matrix` and `fast`).
  bool any_stronger;
};

/// Writes the indices of the kept candidates, by rank, and returns their number. `grid` must be
/// empty; the result doesn't depend on its layout.
std::uint32_t sweep(const SweepInput& input, KeptGrid& grid, std::uint32_t* kept);

}  // namespace facepipe::nms
