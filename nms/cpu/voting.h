// Implements box voting, which moves a kept box to the mean of itself and the removed boxes that
// join it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/geometry.h"
#include "nms/cpu/kept_grid.h"
#include "nms/nms.h"
#include "nms/predicate.h"

namespace facepipe::nms {

struct VoteInput {
  const Box* boxes;             ///< by index: the boxes that are averaged
  const Box* compared;          ///< by index: the boxes that are compared
  const float* scores;          ///< by index
  const std::uint32_t* ranked;  ///< indices of valid candidates, by rank
  std::uint32_t count;
  const std::uint32_t* kept;  ///< indices of the kept candidates, by rank
  std::uint32_t kept_count;
  NmsOverlap overlap;
  float threshold;
};

struct VoteScratch {
  VoteScratch(Arena& arena, std::uint32_t capacity)
      : kept(arena.take<BoxBlock>(capacity / BoxBlock::kBoxes + 1)),
        sums(arena.take<VoteSums>(capacity)) {}
  BoxBlock* kept;
  VoteSums* sums;
};

/// Writes the moved box of each kept candidate.
void vote(const VoteInput& input, VoteScratch& scratch, Box* moved);

}  // namespace facepipe::nms
