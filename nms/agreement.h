// How many boxes agree on a face.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry.h"

namespace facepipe::nms {

/// For each box the number of boxes that are similar to it (similar.h), itself included, after all
/// have been rounded to whole pixels as the rule groups does; 0 for a box that is invalid there.
/// Of n boxes at most 2^32 - 1. Takes O(n log n) and what there is of similar pairs: up to n^2 / 2
/// comparisons where n different boxes lie in one place (20,000: some tenths of a second), while
/// equal boxes cost no more than one. Allocates some 40 bytes for each box.
[[nodiscard]] std::vector<std::uint32_t> count_similar(std::span<const Box> boxes);

}  // namespace facepipe::nms
