// How the maps of a launch of pairs are cut into thread blocks.
#pragma once

#include <span>

#include "core/geometry.h"
#include "detector/cuda/operators/operator.h"
#include "detector/cuda/operators/pairs.h"

namespace facepipe::engine {

/// The tile whose blocks are expected to end first, for maps of these sizes. Every tile computes
/// the same.
[[nodiscard]] PairTile pair_tile_for(int steps, PairResult result, int groups,
                                     std::span<const Size> maps, const DeviceLimits& limits);

}  // namespace facepipe::engine
