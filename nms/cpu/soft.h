// Implements the rule `soft`: it selects the highest score, decays the scores of overlapping
// candidates, and repeats.
#pragma once

#include <cstdint>

#include "core/geometry.h"
#include "nms/arena.h"
#include "nms/nms.h"

namespace facepipe::nms {

struct SoftInput {
  const Box* boxes;              ///< by index
  const float* scores;           ///< by index
  const std::uint32_t* indices;  ///< indices of valid candidates, ascending
  std::uint32_t count;
  float threshold;
  SoftOptions options;
};

/// Holds the live candidates, which may still be selected, as a structure of arrays. They are
/// ordered by index and padded with dead entries to whole vectors. A dead entry's score is too low
/// to be selected.
struct SoftScratch {
  SoftScratch(Arena& arena, std::uint32_t capacity);
  float* x1;
  float* y1;
  float* x2;
  float* y2;
  float* area;
  float* score;
  std::uint32_t* index;
};

/// Writes the indices and the decayed scores of the selected candidates, in the order of selection.
/// Returns their number.
std::uint32_t soften(const SoftInput& input, SoftScratch& live, std::uint32_t* selected,
                     float* scores);

}  // namespace facepipe::nms
