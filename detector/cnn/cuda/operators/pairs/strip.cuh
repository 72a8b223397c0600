// Computes a tile of a pair, which is some rows of a strip: loads its input, computes, and stores
// its results.
#pragma once

#include <type_traits>

#include "core/cuda/programmatic.cuh"
#include "detector/cnn/cuda/operators/pairs/pairs.h"
#include "detector/cnn/cuda/operators/pairs/source.cuh"
#include "detector/cnn/cuda/operators/pairs/warp.cuh"

namespace facepipe::detector::engine {

/// Returns the number of stages. Each stage holds one row in shared memory.
template <int kSteps>
__host__ __device__ constexpr int stages() {
  return kSteps == 8 ? 4 : 6;
}

template <int kSteps, bool kUpsampled>
__host__ __device__ constexpr int stage_bytes() {
  return StripRow<kSteps>::kBytes * (kUpsampled ? 2 : 1);
}

/// A team is the warps that compute a tile together, one warp for each group of channels. If a
/// block has several teams, each team has one warp.
struct Team {
  int warps;

  /// Waits for all threads of the team (a barrier).
  __device__ __forceinline__ void synchronize() const {
    if (warps == 1)
      __syncwarp();
    else
      __syncthreads();
  }
};

/// Returns the map to which a tile belongs.
__device__ __forceinline__ const PairMap& map_of(const PairsArguments& a, int tile) {
  int map = 0;
  while (map + 1 < a.map_count && tile >= a.maps[map + 1].first_tile) ++map;
  return a.maps[map];
}

/// Holds a queue of the input rows of a tile, in shared memory.
template <int kSteps, bool kUpsampled>
class RowQueue {
  static constexpr int kStages = stages<kSteps>();
  static constexpr unsigned kStageBytes = stage_bytes<kSteps, kUpsampled>();

 public:
  /// Starts to load the rows [first_y, end_y).
  __device__ __forceinline__ RowQueue(const PairMap& map, const Team& team, int first_x,
                                      int first_y, int end_y, std::uint32_t memory, int thread)
      : team_(team),
        fine_(map.input, map.input_pitch, map.width, first_x, first_y, thread, team.warps * 32),
        coarse_(map.coarse, map.coarse_pitch, map.width, first_x, first_y, thread, team.warps * 32),
        height_(map.height),
        end_y_(end_y),
        first_(memory),
        row_(memory + (kStages - 1) * kStageBytes) {
#pragma unroll
    for (int i = 0; i < kStages - 1; ++i)
      request(first_y + i, memory + static_cast<unsigned>(i) * kStageBytes);
  }

  /// Waits for row `y` and returns its address. Must be called for the rows in sequence. The
  /// previous row becomes invalid.
  __device__ __forceinline__ std::uint32_t row(int y) {
    copies_wait<kStages - 2>();
    // Now all threads' copies are complete, and no thread still reads the stage that is refilled
    // next.
    team_.synchronize();
    request(y + kStages - 1, row_);
    row_ = row_ == first_ + (kStages - 1) * kStageBytes ? first_ : row_ + kStageBytes;
    return row_;
  }

 private:
  __device__ __forceinline__ void request(int y, std::uint32_t stage) {
    if (y < end_y_) {
      fine_.bring(y, height_, stage);
      if constexpr (kUpsampled) coarse_.bring(y, height_, stage + StripRow<kSteps>::kBytes);
    }
    copies_commit();
  }

  Team team_;
  RowSource<kSteps, 0> fine_;
  RowSource<kSteps, 1> coarse_;
  int height_;
  int end_y_;
  std::uint32_t first_;
  std::uint32_t row_;  // the stage that row() returned last
};

/// Computes `rows` rows of a strip, beginning with row `first_y`, for one group of channels. One
/// warp of a team must call it.
template <int kSteps, PairResult kResult, bool kRelu, bool kUpsampled>
__device__ __forceinline__ void compute_tile(const PairMap& map, const Team& team, int group,
                                             int strip_x, int first_y, int rows,
                                             std::uint32_t memory) {
  using Two = std::conditional_t<kResult == PairResult::floats, float2, __half2>;
  constexpr bool kMaxima =
      kResult == PairResult::maxima || kResult == PairResult::halves_and_maxima;
  constexpr bool kKeeps = kResult != PairResult::maxima;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  using Warp = PairWarp<kSteps, Two>;
  Warp warp(map.weights, group, team.warps, lane);
  cuda::wait_for_previous_kernel();
  RowQueue<kSteps, kUpsampled> queue(map, team, strip_x, first_y - 1, first_y + rows + 1, memory,
                                     group * 32 + lane);
  const int first_x = strip_x + lane / 4 * 4;
  const int channel = group * kPairGroup + lane % 4 * 4;
  SinkIf<kKeeps, RowSink<Two>> results(map, first_x, first_y, lane, channel);
  SinkIf<kMaxima, PooledSink> maxima(map, first_x, first_y, lane, channel);
  const int height = map.height;
  const int width = map.width;
  const std::uint32_t matrix = StripRow<kSteps>::matrix_offset(lane);
  const auto multiply = [&](int y, typename Warp::Sums& sums) {
    const std::uint32_t from = queue.row(y) + matrix;
    warp.template multiply<false>(from, sums);
    if constexpr (kUpsampled) warp.template multiply<true>(from + StripRow<kSteps>::kBytes, sums);
  };
  unsigned columns = 0;  // a bit for each of the lane's pixels whose column is in the map
#pragma unroll
  for (int j = 0; j < 4; ++j)
    if (static_cast<unsigned>(first_x + j) < static_cast<unsigned>(width)) columns |= 1U << j;
  const bool inner = strip_x >= 0 && strip_x + kWarpPixels <= width;
  const auto to_row = [&](int y, const typename Warp::Sums& sums, LaneRow<Two>& row) {
    Warp::to_row(sums, row);
    const bool inside = static_cast<unsigned>(y) < static_cast<unsigned>(height);
    if (!inner || !inside) Warp::mask(inside ? columns : 0, row);
  };
  const auto advance = [&](int y, const LaneRow<Two>& row) {
    LaneRow<Two> done;  // results of row y - 1
    warp.template advance<kRelu>(row, done);
    if (y <= first_y) return;
    results.put(y - 1, done);
    maxima.put(y - 1, done);
  };
  // The products of a row are computed while the previous row is filtered, so that neither step
  // waits for the other.
  typename Warp::Sums sums;
  LaneRow<Two> row;
  multiply(first_y - 1, sums);
  to_row(first_y - 1, sums, row);
#pragma unroll 1
  for (int y = first_y - 1; y < first_y + rows; ++y) {
    multiply(y + 1, sums);
    advance(y, row);
    to_row(y + 1, sums, row);
  }
  advance(first_y + rows, row);
}

}  // namespace facepipe::detector::engine
