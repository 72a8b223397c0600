// How the work of an inverted residual can be cut on a chip.
#pragma once

#include <string>
#include <vector>

#include "detector/cnn/cuda/chip.h"
#include "detector/cnn/cuda/operators/inverted_residual/inverted_residual.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::engine {

/// Tiles that are worth a trial, whose memory fits the chip; the first is the one to take without
/// trials. None where there is no kernel for the shape.
[[nodiscard]] std::vector<InvertedResidualTile> candidate_tiles(const InvertedResidualShape& shape,
                                                                const Chip& chip);

/// "ROWS,GROUPS,WARPS,SPLIT,PIXEL_TILES,STAGED", and back; throws std::invalid_argument.
[[nodiscard]] std::string text_of(const InvertedResidualTile& tile);
[[nodiscard]] InvertedResidualTile tile_of(const std::string& text);

/// Whether `chip` has a kernel for it.
[[nodiscard]] bool has_inverted_residual(const graph::InvertedResidual& op, const Chip& chip);

}  // namespace facepipe::engine
