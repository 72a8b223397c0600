// Makes the first pass over the candidates: it drops invalid candidates, and computes the keys by
// which valid candidates are ranked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/geometry.h"

namespace facepipe::nms {

/// collect() may write up to this many elements after the element of the last candidate.
inline constexpr std::size_t kCollectPadding = 64;

struct Collected {
  std::uint32_t count = 0;  ///< number of valid candidates
  std::uint32_t lowest_key = ~std::uint32_t{0};
  std::uint32_t highest_key = 0;
  // The range of all finite centres. If no centre is finite, left > right and top > bottom.
  float left = 0, right = 0, top = 0, bottom = 0;
  /// About the geometric mean of the boxes' longer sides. A few huge boxes have little effect on
  /// it.
  float usual_side = 0;
};

/// Returns a key that is lower if the score is higher. -0 and +0 have the same key.
std::uint32_t rank_key(float score);

/// Writes the key and the index of each valid candidate to `keys` and `indices`, by ascending
/// index. Both arrays must have room for count + kCollectPadding elements.
Collected collect(const Box* boxes, const float* scores, std::size_t count, std::uint32_t* keys,
                  std::uint32_t* indices);

}  // namespace facepipe::nms
