// Lists the tiles with which an inverted residual can run on a chip.
#pragma once

#include <string>
#include <vector>

#include "detector/cnn/cuda/chip.h"
#include "detector/cnn/cuda/operators/inverted_residual/inverted_residual.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

/// Returns the tiles that fit the chip's memory and may be the fastest. If tiles are not measured,
/// the first tile is used. The list is empty if there is no kernel for the shape.
[[nodiscard]] std::vector<InvertedResidualTile> candidate_tiles(const InvertedResidualShape& shape,
                                                                const Chip& chip);

/// Returns a tile as the text "ROWS,GROUPS,WARPS,SPLIT,PIXEL_TILES,STAGED".
[[nodiscard]] std::string text_of(const InvertedResidualTile& tile);

/// Returns whether `chip` can run a kernel for `op`.
[[nodiscard]] bool has_inverted_residual(const graph::InvertedResidual& op, const Chip& chip);

}  // namespace facepipe::detector::engine
