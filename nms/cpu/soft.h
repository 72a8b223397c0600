// The rule soft: the highest score is selected again and again, and its neighbours' scores decay.
#pragma once

#include <cstdint>

#include "core/geometry.h"
#include "nms/cpu/arena.h"
#include "nms/nms.h"

namespace facepipe::nms {

struct SoftInput {
  const Box* boxes;              ///< by index
  const float* scores;           ///< by index
  const std::uint32_t* indices;  ///< of valid candidates, ascending
  std::uint32_t count;
  float threshold;
  SoftOptions options;
};

/// Candidates that may still be selected, side by side and in the order of indices, padded with
/// dead ones to whole vectors. A dead one has a score below any that is selected.
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

/// Writes indices and decayed scores of the selected ones, in the order of selection, and returns
/// how many they are.
std::uint32_t soften(const SoftInput& input, SoftScratch& live, std::uint32_t* selected,
                     float* scores);

}  // namespace facepipe::nms
