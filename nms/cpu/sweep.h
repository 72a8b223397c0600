// The rules greedy, matrix and fast: one pass over candidates in rank order, each against the
// stronger ones of its place.
#pragma once

#include <cstdint>

#include "core/geometry.h"
#include "nms/cpu/kept_grid.h"
#include "nms/nms.h"

namespace facepipe::nms {

struct SweepInput {
  const Box* boxes;             ///< by index
  const std::uint16_t* places;  ///< by index, as find_places() gives them; not for a single cell
  const std::uint32_t* ranked;  ///< indices of valid boxes, by rank
  std::uint32_t count;
  NmsOverlap overlap;
  float threshold;
  /// Candidates fall to any stronger one, also to one that fell.
  bool any_stronger;
};

/// Writes the indices of the kept ones, by rank, and returns how many they are. `grid` is laid out
/// and empty; any layout gives the same answer.
std::uint32_t sweep(const SweepInput& input, KeptGrid& grid, std::uint32_t* kept);

}  // namespace facepipe::nms
