#include "detector/cnn/cuda/operators/inverted_residual/tiles.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "core/cuda/launch.h"
#include "detector/cnn/cuda/operators/inverted_residual/weights.h"

namespace facepipe::detector::engine {
namespace {

constexpr int kMostRows = 8;

int divide_up(int value, int by) { return (value + by - 1) / by; }

int blocks_of(const InvertedResidualShape& shape, const InvertedResidualTile& tile) {
  return divide_up(shape.output_width, kStripPixels / shape.stride) *
         divide_up(shape.output_height, tile.block_rows()) * tile.split;
}

/// Returns the number of warps of a block with which each warp has about `items` items of work in
/// the first phase.
int warps_for(const InvertedResidualShape& shape, const InvertedResidualTile& tile, int items) {
  const int work = divide_up(shape.expanded_groups, tile.split) * tile.groups;
  return divide_up(work, items);
}

/// Holds the fastest tile for one of CenterFace's inverted residuals at 1920x1088 on an H100.
struct Favourite {
  int chunks;
  int stride;
  InvertedResidualTile tile;
};
constexpr Favourite kFavourites[] = {
    {2, 2, {4, 1, 3, 1, 2, false}},  {3, 1, {5, 1, 5, 1, 2, false}},
    {3, 2, {4, 1, 3, 1, 2, false}},  {4, 1, {5, 2, 12, 1, 2, false}},
    {4, 2, {4, 1, 6, 1, 2, false}},  {8, 1, {5, 1, 12, 2, 2}},
    {12, 1, {5, 1, 9, 2, 2, false}}, {12, 2, {2, 1, 6, 3, 2, false}},
    {20, 1, {4, 1, 12, 5, 2}},
};

bool fits(const InvertedResidualShape& shape, const InvertedResidualTile& tile, const Chip& chip) {
  return tile.warps <= most_warps(shape) &&
         tile.block_rows() * (2 / shape.stride) % tile.pixel_tiles == 0 &&
         shared_bytes_of(shape, tile) <= chip.shared_bytes;
}

/// Appends all tiles with the rows, groups and split of `tile`. `to` must have no such tile yet.
void append_tiles(std::vector<InvertedResidualTile>& to, const InvertedResidualShape& shape,
                  InvertedResidualTile tile, const Chip& chip) {
  constexpr int kMostItems = 4;
  constexpr int kFewestWarps = 3;
  const auto before = static_cast<std::ptrdiff_t>(to.size());
  for (int items = 1; items <= kMostItems; ++items)
    for (const int pixel_tiles : {2, 1})
      for (const bool staged : {true, false}) {
        if (items == 1 && !staged) continue;  // then staging has no effect
        tile.warps = std::max(warps_for(shape, tile, items), kFewestWarps);
        tile.pixel_tiles = pixel_tiles;
        tile.staged = staged;
        if (fits(shape, tile, chip) && std::find(to.begin() + before, to.end(), tile) == to.end())
          to.push_back(tile);
      }
}

/// Appends tiles with the smallest split whose memory fits. Also appends tiles with greater splits,
/// as long as there are few blocks.
void append_splits(std::vector<InvertedResidualTile>& to, const InvertedResidualShape& shape,
                   InvertedResidualTile tile, const Chip& chip, int most) {
  const std::size_t before = to.size();
  for (tile.split = 1; tile.split <= std::min(most, shape.expanded_groups); ++tile.split)
    if (to.size() == before || blocks_of(shape, tile) <= 2 * chip.multiprocessors)
      append_tiles(to, shape, tile, chip);
}

void move_to_front(std::vector<InvertedResidualTile>& tiles, const InvertedResidualShape& shape) {
  for (const Favourite& favourite : kFavourites) {
    if (favourite.chunks != shape.input_chunks || favourite.stride != shape.stride) continue;
    const auto found = std::find(tiles.begin(), tiles.end(), favourite.tile);
    if (found != tiles.end()) std::rotate(tiles.begin(), found, found + 1);
  }
}

}  // namespace

std::vector<InvertedResidualTile> candidate_tiles(const InvertedResidualShape& shape,
                                                  const Chip& chip) {
  std::vector<InvertedResidualTile> found;
  if (shape.input_chunks == 0 || !has_fused_kernels(chip)) return found;
  const int most_split = chip.compute_capability >= cuda::kOldestWithClusters ? kMostSplit : 1;
  for (int rows = kMostRows; rows >= 1; --rows) {
    if (!has_rows(shape.input_chunks, shape.stride, rows)) continue;
    for (const int groups : {1, 2, 4})
      append_splits(found, shape, {rows, groups}, chip, most_split);
  }
  move_to_front(found, shape);
  return found;
}

std::string text_of(const InvertedResidualTile& t) {
  std::string text;
  for (const int value : {t.rows, t.groups, t.warps, t.split, t.pixel_tiles, t.staged ? 1 : 0})
    text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

bool has_inverted_residual(const graph::InvertedResidual& op, const Chip& chip) {
  if (!graph::is_none_or_relu(op.project.activation)) return false;
  return !candidate_tiles(shape_of(op, {op.project.outputs, 1, 1}), chip).empty();
}

}  // namespace facepipe::detector::engine
