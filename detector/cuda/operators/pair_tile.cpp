#include "detector/cuda/operators/pair_tile.h"

#include <algorithm>
#include <limits>

namespace facepipe::engine {
namespace {

constexpr int kWarps = 4;
constexpr int kMostRows = 40;

int divide_up(int value, int by) { return (value + by - 1) / by; }

int blocks_of(std::span<const Size> maps, const PairTile& tile) {
  int blocks = 0;
  for (const Size& map : maps)
    blocks += divide_up(map.width, kPairColumns) * divide_up(map.height, tile.rows * tile.parts);
  return blocks;
}

/// Clocks until the last block ends. Found on an H100: a row of a warp takes so long alone, and so
/// long of its part of the multiprocessor; before the first there is the way of the weights and the
/// pixels.
double clocks_of(int steps, int groups, int blocks, const PairTile& tile, int blocks_at_once,
                 const DeviceLimits& limits) {
  constexpr double kStart = 2000;
  const double latency = 300 + 45.0 * steps;
  const double work = 150 + 12.0 * steps;
  const int rows = (tile.rows + 2) * divide_up(groups * tile.parts, kWarps);
  double clocks = 0;
  for (int left = divide_up(blocks, limits.multiprocessors); left > 0; left -= blocks_at_once) {
    const int together = std::min(left, blocks_at_once);
    clocks += kStart + rows * std::max(latency, work * together);
  }
  return clocks;
}

}  // namespace

PairTile pair_tile_for(int steps, PairResult result, int groups, std::span<const Size> maps,
                       const DeviceLimits& limits) {
  const int registers_allow = steps == 8 ? 2 : result == PairResult::floats ? 3 : 4;
  PairTile best;
  best.parts = groups == 1 ? kWarps : groups == 2 ? kWarps / 2 : 1;
  best.rows = result == PairResult::pooled ? 2 : 1;
  double least = std::numeric_limits<double>::infinity();
  const int step = best.rows;
  for (PairTile tile = best; tile.rows * tile.parts <= kMostRows; tile.rows += step) {
    const std::size_t bytes = pair_shared_bytes(steps, tile);
    if (bytes > limits.shared_bytes) break;
    const int at_once = std::min(registers_allow, static_cast<int>(limits.shared_bytes / bytes));
    const double clocks = clocks_of(steps, groups, blocks_of(maps, tile), tile, at_once, limits);
    if (clocks >= least) continue;
    least = clocks;
    best = tile;
  }
  return best;
}

}  // namespace facepipe::engine
