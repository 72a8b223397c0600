#include "detector/cnn/cuda/operators/pairs/pairs.h"

#include <algorithm>
#include <limits>

namespace facepipe::detector::engine {
namespace {

constexpr int kMostRows = 16;   // if tiles are taller, blocks end at too different times
constexpr int kSchedulers = 4;  // number of schedulers of a multiprocessor

int divide_up(int value, int by) { return (value + by - 1) / by; }

int tiles_of(std::span<const Size> maps, int rows) {
  int tiles = 0;
  for (const Size& map : maps)
    tiles += divide_up(map.width, kPairColumns) * divide_up(map.height, rows);
  return tiles;
}

/// Estimates the clocks until the last tile ends. The constants were measured on an H100. kStart is
/// the time until the first row is loaded. `latency` is the time that a single warp needs for a
/// row. `work` is the time for which a row occupies a scheduler; several warps share a scheduler.
double clocks_of(const PairKind& kind, int groups, int blocks, int rows, const PairRoom& room) {
  constexpr double kStart = 2000;
  constexpr double kStartOfBlock = 200;
  const double latency = 350 + 40.0 * kind.steps;
  const double work = (kind.result == PairResult::floats ? 260 : 150) + 15.0 * kind.steps;
  const double warps = static_cast<double>(room.teams * groups) / kSchedulers;
  double clocks = 0;
  for (int left = divide_up(blocks, room.multiprocessors); left > 0; left -= room.blocks) {
    const int together = std::min(left, room.blocks);
    clocks +=
        kStart + kStartOfBlock * together + (rows + 2) * std::max(latency, work * warps * together);
  }
  return clocks;
}

}  // namespace

int pair_rows_for(const PairKind& kind, int groups, std::span<const Size> maps,
                  const PairRoom& room) {
  const int step = has_maxima(kind.result) ? 2 : 1;
  int best = step;
  double least = std::numeric_limits<double>::infinity();
  for (int rows = step; rows <= kMostRows; rows += step) {
    const int blocks = divide_up(tiles_of(maps, rows), room.teams);
    const double clocks = clocks_of(kind, groups, blocks, rows, room);
    if (clocks >= least) continue;
    least = clocks;
    best = rows;
  }
  return best;
}

}  // namespace facepipe::detector::engine
