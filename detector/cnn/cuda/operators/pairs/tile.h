// How the maps of a launch of pairs are cut into tiles.
#pragma once

#include <span>

#include "core/geometry.h"
#include "detector/cnn/cuda/operators/pairs/pairs.h"

namespace facepipe::engine {

/// Rows of a tile with which the last tile is expected to end first, for maps of these sizes. The
/// result is the same whatever they are.
[[nodiscard]] int pair_rows_for(const PairKind& kind, int groups, std::span<const Size> maps,
                                const PairRoom& room);

}  // namespace facepipe::engine
