// The first pass over candidates: drops those that are none, makes the keys by which they are
// ranked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/geometry.h"

namespace facepipe::nms {

/// Slots that collect() may write beyond the last candidate.
inline constexpr std::size_t kCollectPadding = 64;

struct Collected {
  std::uint32_t count = 0;  ///< of valid candidates
  std::uint32_t lowest_key = ~std::uint32_t{0};
  std::uint32_t highest_key = 0;
  // Of the centres that are finite; where there are none, the ends lie the wrong way round.
  float left = 0, right = 0, top = 0, bottom = 0;
  /// The geometric mean of the longer sides, so that a few huge boxes don't matter.
  float usual_side = 0;
};

/// Ascending keys are descending scores; -0 and +0 have one key.
std::uint32_t rank_key(float score);

/// Writes key and index of each valid candidate, in the order of indices. Both arrays need
/// kCollectPadding slots more than `count`.
Collected collect(const Box* boxes, const float* scores, std::size_t count, std::uint32_t* keys,
                  std::uint32_t* indices);

}  // namespace facepipe::nms
