#include "detector/cuda/operators/inverted_residual_tiles.h"

#include <algorithm>

#include "core/cuda/launch.h"
#include "detector/cuda/operators/inverted_residual_weights.h"

namespace facepipe::engine {
namespace {

constexpr int kOldestChip = 80;
constexpr int kMostRows = 8;

int divide_up(int value, int by) { return (value + by - 1) / by; }

int blocks_of(const InvertedResidualShape& shape, const InvertedResidualTile& tile) {
  return divide_up(shape.output_width, kStripPixels / shape.stride) *
         divide_up(shape.output_height, tile.block_rows()) * tile.split;
}

/// Warps of a block so that each has about `items` pieces of work in the first phase.
int warps_for(const InvertedResidualShape& shape, const InvertedResidualTile& tile, int items) {
  const int work = divide_up(shape.chunks, tile.split) * tile.groups;
  return divide_up(work, items);
}

}  // namespace

std::vector<InvertedResidualTile> candidate_tiles(const InvertedResidualShape& shape,
                                                  const Chip& chip) {
  std::vector<InvertedResidualTile> found;
  if (shape.input_eighths == 0 || chip.compute_capability < kOldestChip) return found;
  const int most_split = chip.compute_capability >= cuda::kOldestWithClusters ? kMostSplit : 1;
  for (int rows = 1; rows <= kMostRows; ++rows) {
    if (!has_rows(shape.input_eighths, shape.stride, rows)) continue;
    for (const int groups : {1, 2, 4})
      for (int split = 1; split <= std::min(most_split, shape.chunks); ++split)
        for (int items = 1; items <= 4; ++items)
          for (const int pixel_tiles : {1, 2}) {
            InvertedResidualTile tile{rows, groups, 0, split, pixel_tiles};
            tile.warps = warps_for(shape, tile, items);
            if (tile.warps < 3 || tile.warps > most_warps(shape) ||
                shared_bytes_of(shape, tile) > chip.shared_bytes)
              continue;
            if (split > 1 && blocks_of(shape, tile) > 2 * chip.multiprocessors) continue;
            if (rows * (2 / shape.stride) * groups % pixel_tiles != 0) continue;
            if (std::find(found.begin(), found.end(), tile) == found.end()) found.push_back(tile);
          }
  }
  return found;
}

bool has_inverted_residual(const graph::InvertedResidual& op, const Chip& chip) {
  if (op.project.activation == graph::Activation::sigmoid) return false;
  return !candidate_tiles(shape_of(op, {op.project.outputs, 1, 1}), chip).empty();
}

}  // namespace facepipe::engine
