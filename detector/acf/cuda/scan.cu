#include <cuda_pipeline.h>

#include <algorithm>
#include <cstddef>

#include "core/cuda/check.h"
#include "core/cuda/launch.h"
#include "core/cuda/programmatic.cuh"
#include "detector/acf/cuda/found.cuh"
#include "detector/acf/cuda/kernels.h"
#include "nms/cuda/device.cuh"

namespace facepipe::detector::acf {
namespace {

constexpr int kLanes = 32;
constexpr int kThreads = 512;
constexpr int kLog2Warps = 4;
constexpr int kWarps = 1 << kLog2Warps;
static_assert(kWarps * kLanes == kThreads);
constexpr int kBlocks = 2;   ///< of a multiprocessor
constexpr int kWindows = 2;  ///< of a lane: what is read of a tree serves all of them
static_assert(kScanColumns == kLanes && kMostScanRows == kWindows * kWarps);
constexpr int kFirstTrees = 8;
/// Trees that are in shared memory at once, twice: those of a round, and the next ones.
constexpr int kChunk = 64;
/// Places of a tile for which a window a warp takes less than a window a lane.
constexpr unsigned kFew = 64;
/// Then a round goes to this tree at least.
constexpr int kLeastRound = 128;
// So that such rounds begin and end where blocks of a warp's trees do, but the first and the last.
static_assert(2 * kChunk % kWarpTrees == 0 && kLeastRound % kWarpTrees == 0);

// --- A tile --------------------------------------------------------------------------------------

/// What is known of a lane's windows after some trees.
struct Sums {
  std::int32_t sum[kWindows];    ///< of the leaves
  std::int32_t least[kWindows];  ///< of the sums after each tree
};

/// A block's shared memory of known size. Places are numbered row by row.
struct ScanMemory {
  DeviceTree trees[2][kChunk];
  int tile;
  int counts[3][kLanes];  ///< of the lists: of a round, the next, and the one after that, emptied
  int left[2];            ///< places in the lists, when these have no gaps
  std::int32_t part_sums[kWarps][kWindows][kLanes];
  std::int32_t part_leasts[kWarps][kWindows][kLanes];
};

/// The rest of it, for as many places as a tile has.
struct PlaceLists {
  std::int32_t* sums;  ///< of each place's leaves
  /// Places that have come to a round are listed by the bank of shared memory in which their cells
  /// begin: lanes that take one each from a list of their own never meet in a bank, since a tree's
  /// feature is the same distance further for all. Entry `i` of bank `b` is i * kLanes + b. A round
  /// reads the list of its number and fills the next one's.
  std::uint16_t* places;
  int most_places;

  [[nodiscard]] __device__ std::uint16_t* list(int number) const {
    return places + (number % 2 == 0 ? 0 : most_places);
  }
};

__device__ PlaceLists lists_of(const AcfPlan& plan, float* shared) {
  const int places = plan.scan.rows * kScanColumns;
  return {reinterpret_cast<std::int32_t*>(shared),
          reinterpret_cast<std::uint16_t*>(shared + places), places};
}

struct ScanTile {
  const DeviceScale* scale;
  Size first;   ///< place
  Size places;  ///< that are there
  const float* cells;
  int stride;  ///< from one row of cells to the next
};

__device__ ScanTile tile_of(const AcfPlan& plan, int index, const AcfBuffers& buffers) {
  const Part part = plan.tiles[index];
  ScanTile tile;
  tile.scale = plan.scales + part.scale;
  const Size all = tile.scale->scale.places;
  tile.first = {part.column, part.row};
  tile.places = {min(kScanColumns, all.width - part.column),
                 min(plan.scan.rows, all.height - part.row)};
  tile.cells =
      buffers.cells + tile.scale->first_cell + std::int64_t{part.row} * plan.stride + part.column;
  tile.stride = plan.stride;
  return tile;
}

/// Copies the cells that the tile's windows cover, 16 bytes a thread: half a warp a row.
__device__ void load_cells(const AcfPlan& plan, float* shared, const ScanTile& tile) {
  constexpr int kSamples = 4;
  constexpr int kRowThreads = kLanes / 2;
  constexpr int kRowsAtOnce = kThreads / kRowThreads;
  const int rows = tile.places.height + plan.window.height - 1;
  const int columns = tile.places.width + plan.window.width - 1;
  const int x = static_cast<int>(threadIdx.x) % kRowThreads * kSamples;
  int row = static_cast<int>(threadIdx.x) / kRowThreads;
  const float* from = tile.cells + std::int64_t{row} * plan.stride;
  float* to = shared + row * plan.scan.stride;
  for (int channel = 0;; row += kRowsAtOnce, from += kRowsAtOnce * plan.stride,
           to += kRowsAtOnce * plan.scan.stride) {
    for (; row >= rows; row -= rows, ++channel) {
      from += plan.plane - std::int64_t{rows} * plan.stride;
      to += plan.scan.plane - rows * plan.scan.stride;
    }
    if (channel >= kChannels) return;
    for (int i = x; i < columns; i += kRowThreads * kSamples)
      __pipeline_memcpy_async(to + i, from + i, kSamples * sizeof(float));
  }
}

/// Copies trees from `first` on, a multiple of kChunk. Plan has room behind the last one.
__device__ void load_trees(const AcfPlan& plan, int first, ScanMemory& memory) {
  constexpr int kBytes = 16;
  constexpr int kPieces = kChunk * static_cast<int>(sizeof(DeviceTree)) / kBytes;
  auto* const to = reinterpret_cast<std::byte*>(memory.trees[first / kChunk % 2]);
  const auto* const from = reinterpret_cast<const std::byte*>(plan.trees + first);
  for (int i = static_cast<int>(threadIdx.x); i < kPieces; i += kThreads)
    __pipeline_memcpy_async(to + i * kBytes, from + i * kBytes, kBytes);
}

/// Of the thread's own copies.
__device__ void wait_for_copies() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

/// Where a place's window begins, in samples from the tile's first.
__device__ int window_at(const ScanTile& tile, int place) {
  return place / kScanColumns * tile.stride + place % kScanColumns;
}

// --- Trees ---------------------------------------------------------------------------------------

__device__ __forceinline__ float cell_at(const float* window, std::int32_t offset) {
  return *reinterpret_cast<const float*>(reinterpret_cast<const char*>(window) + offset);
}

__device__ __forceinline__ std::int32_t leaf_of(const DeviceTree& tree, const float* window) {
  // All three at once: a second load that waits for the first takes longer.
  const bool is_left = cell_at(window, tree.offsets[0]) < tree.thresholds[0];
  const bool is_first = cell_at(window, tree.offsets[1]) < tree.thresholds[1];
  const bool is_third = cell_at(window, tree.offsets[2]) < tree.thresholds[2];
  // By value: else the compiler chooses between addresses, and loads once for each lane.
  const std::int32_t a = tree.leaves[0];
  const std::int32_t b = tree.leaves[1];
  const std::int32_t c = tree.leaves[2];
  const std::int32_t d = tree.leaves[3];
  return is_left ? (is_first ? a : b) : (is_third ? c : d);
}

__device__ __forceinline__ void add_tree(const DeviceTree& of,
                                         const float* const (&windows)[kWindows], Sums& sums) {
  const DeviceTree tree = of;
#pragma unroll
  for (int w = 0; w < kWindows; ++w) {
    sums.sum[w] += leaf_of(tree, windows[w]);
    sums.least[w] = min(sums.least[w], sums.sum[w]);
  }
}

/// The trees from `first` on, before `end`, all of one chunk.
__device__ __forceinline__ void walk(const ScanMemory& memory, int first, int end,
                                     const float* const (&windows)[kWindows], Sums& sums) {
  const DeviceTree* const chunk = memory.trees[first / kChunk % 2];
  const int count = end - first;
  const DeviceTree* const begin = chunk + first % kChunk;
#pragma unroll 2
  for (int i = 0; i < count; ++i) add_tree(begin[i], windows, sums);
}

// --- A tile's windows through the trees ----------------------------------------------------------

/// For the places that go on to `round`.
__device__ void append(int round, const ScanTile& tile, const PlaceLists& lists, int place,
                       std::int32_t sum, ScanMemory& memory) {
  const int bank = window_at(tile, place) % kLanes;
  const int at = atomicAdd(&memory.counts[round % 3][bank], 1);
  lists.list(round % 2)[at * kLanes + bank] = static_cast<std::uint16_t>(place);
  lists.sums[place] = sum;
}

/// The first trees of all places: a warp has two rows.
__device__ void first_round(const AcfPlan& plan, const ScanTile& tile, const PlaceLists& lists,
                            int end, ScanMemory& memory) {
  const int lane = static_cast<int>(nms::lane_id());
  const int warp = nms::of_warp(static_cast<int>(threadIdx.x) / kLanes);
  if (warp >= tile.places.height) return;
  const float* windows[kWindows];
  Sums sums;
  bool there[kWindows];
#pragma unroll
  for (int w = 0; w < kWindows; ++w) {
    const int row = warp + w * kWarps;
    there[w] = row < tile.places.height && lane < tile.places.width;
    windows[w] = tile.cells + (there[w] ? window_at(tile, row * kLanes + lane) : 0);
    sums.sum[w] = 0;
    sums.least[w] = INT32_MAX;
  }
  walk(memory, 0, end, windows, sums);
#pragma unroll
  for (int w = 0; w < kWindows; ++w)
    if (there[w] && sums.least[w] > plan.threshold)
      append(1, tile, lists, (warp + w * kWarps) * kLanes + lane, sums.sum[w], memory);
}

/// Two places of a lane's list of those that have come to a round.
struct Pair {
  int places[kWindows];
  bool there[kWindows];
  const float* windows[kWindows];
};

/// The number-th two.
__device__ Pair pair_of(const ScanTile& tile, const PlaceLists& lists, int round, int number,
                        int count) {
  const int lane = static_cast<int>(nms::lane_id());
  Pair pair;
#pragma unroll
  for (int w = 0; w < kWindows; ++w) {
    const int i = kWindows * number + w;
    pair.there[w] = i < count;
    pair.places[w] = pair.there[w] ? lists.list(round % 2)[i * kLanes + lane] : 0;
    pair.windows[w] = tile.cells + (pair.there[w] ? window_at(tile, pair.places[w]) : 0);
  }
  return pair;
}

/// How many parts of the trees there may be, so that each warp has one of them and one pair.
__device__ int log2_of_parts(int pairs, int trees) {
  int parts = 0;
  while (parts < kLog2Warps && pairs <= kWarps >> (parts + 1) && 2 << parts <= trees) ++parts;
  return parts;
}

/// Of consecutive trees that warps have shared, `sharers` of them each part, for the warps of the
/// first one. All threads call it.
__device__ void add_parts(int parts, int sharers, Sums& sums, ScanMemory& memory) {
  const int lane = static_cast<int>(nms::lane_id());
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
#pragma unroll
  for (int w = 0; w < kWindows; ++w) {
    memory.part_sums[warp][w][lane] = sums.sum[w];
    memory.part_leasts[warp][w][lane] = sums.least[w];
  }
  __syncthreads();
  for (int part = 1; part < parts && warp < sharers; ++part)
#pragma unroll
    for (int w = 0; w < kWindows; ++w) {
      const int other = part * sharers + warp;
      sums.least[w] = min(sums.least[w], sums.sum[w] + memory.part_leasts[other][w][lane]);
      sums.sum[w] += memory.part_sums[other][w][lane];
    }
}

/// Trees of the places that have come to it; false, and nothing, where these are few. Where they
/// have less than a warp's lists each, several warps share the trees, so that all have some.
__device__ bool next_round(const AcfPlan& plan, const ScanTile& tile, const PlaceLists& lists,
                           int round, int first, int end, ScanMemory& memory) {
  const int lane = static_cast<int>(nms::lane_id());
  const int warp = nms::of_warp(static_cast<int>(threadIdx.x) / kLanes);
  if (warp == 0) memory.counts[(round + 2) % 3][lane] = 0;
  const int count = memory.counts[round % 3][lane];
  if (nms::warp_sum(static_cast<unsigned>(count)) <= kFew) return false;
  if (end % kChunk == 0 && end < plan.tree_count) load_trees(plan, end, memory);
  const int most = nms::of_warp(nms::warp_combined(count, [](int a, int b) { return max(a, b); }));
  const int pairs = (most + kWindows - 1) / kWindows;
  // Powers of two, so that nothing is divided. Each part has a tree at least, so that its least sum
  // is one.
  const int log2_parts = log2_of_parts(pairs, end - first);
  const int parts = 1 << log2_parts;
  const int log2_sharers = kLog2Warps - log2_parts;          // warps that have the same part
  for (int i = warp; i < max(pairs, kWarps); i += kWarps) {  // all warps once at least
    const int part = parts > 1 ? i >> log2_sharers : 0;
    const int number = parts > 1 ? i & ((1 << log2_sharers) - 1) : i;
    const bool works = number < pairs;
    const Pair pair = pair_of(tile, lists, round, number, count);
    Sums sums;
#pragma unroll
    for (int w = 0; w < kWindows; ++w) {
      sums.sum[w] = part == 0 && pair.there[w] ? lists.sums[pair.places[w]] : 0;
      sums.least[w] = INT32_MAX;
    }
    if (works)
      walk(memory, first + ((end - first) * part >> log2_parts),
           first + ((end - first) * (part + 1) >> log2_parts), pair.windows, sums);
    if (parts > 1) add_parts(parts, 1 << log2_sharers, sums, memory);
    if (!works || part > 0) continue;
#pragma unroll
    for (int w = 0; w < kWindows; ++w)
      if (pair.there[w] && sums.least[w] > plan.threshold)
        append(round + 1, tile, lists, pair.places[w], sums.sum[w], memory);
  }
  wait_for_copies();
  __syncthreads();
  return true;
}

// --- The last windows: a warp each ---------------------------------------------------------------

/// Of the places that have come to `round`, without gaps in the other list, whose number it
/// returns.
__device__ int move_together(int round, const PlaceLists& lists, ScanMemory& memory) {
  const int lane = static_cast<int>(nms::lane_id());
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int list = (round + 1) % 2;
  const int count = memory.counts[round % 3][lane];
  const int before = nms::warp_inclusive_sum(count) - count;
  for (int i = warp; i < count; i += kWarps)
    lists.list(list)[before + i] = lists.list(round % 2)[i * kLanes + lane];
  if (warp == 0 && lane == kLanes - 1) memory.left[list] = before + count;
  if (threadIdx.x == 0) memory.left[1 - list] = 0;
  return list;
}

/// Of consecutive trees: what they add to a sum, and how low it is after one of them at least; of
/// none, kNoSum.
struct Run {
  static constexpr std::int32_t kNoSum = INT32_MAX;
  std::int32_t sum = 0;
  std::int32_t least = kNoSum;
};

__device__ Run followed_by(const Run& first, const Run& next) {
  const std::int32_t least = next.least == Run::kNoSum ? Run::kNoSum : first.sum + next.least;
  return {first.sum + next.sum, min(first.least, least)};
}

/// Of all lanes' trees, lane by lane, in the first lane.
__device__ Run of_lanes(Run run) {
#pragma unroll
  for (int step = 1; step < kLanes; step *= 2)
    run = followed_by(run, {__shfl_down_sync(nms::kAllLanes, run.sum, step),
                            __shfl_down_sync(nms::kAllLanes, run.least, step)});
  return run;
}

/// Of whole blocks of trees, those from `first` on and before `end` that are `walked` or later, of
/// two windows. A lane has kLaneRun trees side by side.
__device__ void walk_blocks(const AcfPlan& plan, int first, int end, int walked,
                            const float* const (&windows)[kWindows], Run (&runs)[kWindows]) {
  const int lane = static_cast<int>(nms::lane_id());
  const int last = min(end, plan.tree_count);
#pragma unroll
  for (int w = 0; w < kWindows; ++w) runs[w] = {};
  for (int block = first; block < end; block += kWarpTrees) {
    Run of_lane[kWindows];
    DeviceTree next = plan.warp_trees[block + lane];
#pragma unroll
    for (int k = 0; k < kLaneRun; ++k) {
      const int number = block + lane * kLaneRun + k;
      const DeviceTree tree = next;
      if (k + 1 < kLaneRun) next = plan.warp_trees[block + (k + 1) * kLanes + lane];
      const bool counts = number >= walked && number < last;
#pragma unroll
      for (int w = 0; w < kWindows; ++w) {
        of_lane[w].sum += counts ? leaf_of(tree, windows[w]) : 0;
        if (counts) of_lane[w].least = min(of_lane[w].least, of_lane[w].sum);
      }
    }
#pragma unroll
    for (int w = 0; w < kWindows; ++w) runs[w] = followed_by(runs[w], of_lanes(of_lane[w]));
  }
}

/// A round of these: the trees from `walked` on, before `end`. From list `from` to the other
/// one.
__device__ void last_round(const AcfPlan& plan, const ScanTile& tile, const PlaceLists& lists,
                           int walked, int end, int from, ScanMemory& memory) {
  const int lane = static_cast<int>(nms::lane_id());
  const int warp = nms::of_warp(static_cast<int>(threadIdx.x) / kLanes);
  const int count = memory.left[from];
  const int pairs = (count + kWindows - 1) / kWindows;
  const int first = walked / kWarpTrees;
  const int blocks = (end + kWarpTrees - 1) / kWarpTrees - first;
  const int log2_parts = log2_of_parts(pairs, blocks);
  const int log2_sharers = kLog2Warps - log2_parts;
  for (int i = warp; i < max(pairs, kWarps); i += kWarps) {  // all warps once at least
    const int part = log2_parts > 0 ? i >> log2_sharers : 0;
    const int number = log2_parts > 0 ? i & ((1 << log2_sharers) - 1) : i;
    const bool works = number < pairs;
    const float* windows[kWindows];
    int places[kWindows];
    Run runs[kWindows] = {};
#pragma unroll
    for (int w = 0; w < kWindows; ++w) {
      places[w] = lists.list(from)[works ? min(kWindows * number + w, count - 1) : 0];
      windows[w] = tile.cells + window_at(tile, places[w]);
    }
    if (works)
      walk_blocks(plan, (first + (blocks * part >> log2_parts)) * kWarpTrees,
                  (first + (blocks * (part + 1) >> log2_parts)) * kWarpTrees, walked, windows,
                  runs);
    const bool adds = works && part == 0 && lane == 0;
    Sums sums;
#pragma unroll
    for (int w = 0; w < kWindows; ++w) {
      const std::int32_t before = adds ? lists.sums[places[w]] : 0;
      sums.sum[w] = runs[w].sum + before;
      sums.least[w] = adds ? runs[w].least + before : runs[w].least;
    }
    if (log2_parts > 0) add_parts(1 << log2_parts, 1 << log2_sharers, sums, memory);
    if (!adds) continue;
    for (int w = 0; w < kWindows; ++w)
      if (kWindows * number + w < count && sums.least[w] > plan.threshold) {
        lists.list(1 - from)[atomicAdd(&memory.left[1 - from], 1)] =
            static_cast<std::uint16_t>(places[w]);
        lists.sums[places[w]] = sums.sum[w];
      }
  }
}

/// The trees from `walked` on of the places that have come to `round`.
__device__ void last_trees(const AcfPlan& plan, const ScanTile& tile, const AcfBuffers& buffers,
                           const PlaceLists& lists, int round, int walked, ScanMemory& memory) {
  int list = move_together(round, lists, memory);
  __syncthreads();
  while (walked < plan.tree_count && memory.left[list] > 0) {
    const int end = min(max(2 * walked, kLeastRound), plan.tree_count);
    last_round(plan, tile, lists, walked, end, list, memory);
    __syncthreads();
    if (threadIdx.x == 0) memory.left[list] = 0;
    __syncthreads();
    list = 1 - list;
    walked = end;
  }
  for (int i = static_cast<int>(threadIdx.x); i < memory.left[list]; i += kThreads) {
    const int place = lists.list(list)[i];
    list_found(plan, *tile.scale,
               {tile.first.width + place % kScanColumns, tile.first.height + place / kScanColumns},
               lists.sums[place], buffers);
  }
}

template <bool kShared>
__global__ void __launch_bounds__(kThreads, kBlocks)
    scan_kernel(const __grid_constant__ AcfPlan plan, const __grid_constant__ AcfBuffers buffers,
                const BatchPlan batch) {
  extern __shared__ float shared[];
  __shared__ ScanMemory memory;
  cuda::wait_for_previous_kernel();
  const auto thread = static_cast<int>(threadIdx.x);
  const PlaceLists lists = lists_of(plan, shared);
  float* const cells = shared + kListSamples * plan.scan.rows * kScanColumns;
  for (;;) {
    if (thread == 0)
      memory.tile = static_cast<int>(atomicAdd(buffers.next_tiles + batch.number, 1U));
    if (thread < kLanes) memory.counts[1][thread] = memory.counts[2][thread] = 0;
    __syncthreads();
    if (memory.tile >= batch.tiles) return;
    // Coarse scales first: their windows come further, and would be what others wait for.
    ScanTile tile = tile_of(plan, batch.first_tile + batch.tiles - 1 - memory.tile, buffers);
    load_trees(plan, 0, memory);
    if constexpr (kShared) {
      load_cells(plan, cells, tile);
      tile.cells = cells;
      tile.stride = plan.scan.stride;
    }
    wait_for_copies();
    __syncthreads();
    int walked = min(kFirstTrees, plan.tree_count);
    first_round(plan, tile, lists, walked, memory);
    __syncthreads();
    int round = 1;
    for (; walked < plan.tree_count; ++round) {
      const int end =
          min(walked < kChunk ? min(4 * walked, kChunk) : walked + kChunk, plan.tree_count);
      if (!next_round(plan, tile, lists, round, walked, end, memory)) break;
      walked = end;
    }
    last_trees(plan, tile, buffers, lists, round, walked, memory);
    __syncthreads();
  }
}
std::size_t shared_bytes(const AcfPlan& plan) {
  const std::int64_t lists = std::int64_t{kListSamples} * plan.scan.rows * kScanColumns;
  const std::int64_t cells = plan.scan.in_shared != 0 ? plan.scan.plane * kChannels : 0;
  return static_cast<std::size_t>(lists + cells) * sizeof(float);
}

using ScanKernel = void (*)(AcfPlan, AcfBuffers, BatchPlan);

ScanKernel kernel_of(const AcfPlan& plan) {
  return plan.scan.in_shared != 0 ? scan_kernel<true> : scan_kernel<false>;
}

// --- Candidates ----------------------------------------------------------------------------------

constexpr int kSelectionThreads = 256;
constexpr unsigned kSelectionWarps = kSelectionThreads / kLanes;
constexpr unsigned kSelectionBlocks = 512;  ///< enough for any device
constexpr unsigned kAllWarps = kSelectionBlocks * kSelectionWarps;
constexpr unsigned kRanked = 4;  ///< windows of a warp at once, where there are more than warps

/// A warp `kCount` windows: a rank is how many come before it.
template <unsigned kCount>
__device__ void rank_windows(const AcfBuffers& buffers, unsigned count, const ScoreCurve& curve,
                             const cuda::DeviceDetections& to) {
  const unsigned lane = nms::lane_id();
  for (unsigned first = kCount * (blockIdx.x * kSelectionWarps + threadIdx.x / kLanes);
       first < count; first += kCount * kAllWarps) {
    SummedPlace windows[kCount];
    unsigned before[kCount] = {};
#pragma unroll
    for (unsigned k = 0; k < kCount; ++k) windows[k] = buffers.found[min(first + k, count - 1)];
#pragma unroll 4
    for (unsigned other = lane; other < count; other += kLanes) {
      const std::uint32_t place = buffers.found[other].place;
#pragma unroll
      for (unsigned k = 0; k < kCount; ++k) before[k] += place < windows[k].place ? 1 : 0;
    }
#pragma unroll
    for (unsigned k = 0; k < kCount; ++k) {
      const unsigned rank = nms::warp_sum(before[k]);
      if (lane != k || first + k >= count || rank >= to.capacity) continue;
      to.boxes[rank] = buffers.boxes[first + k];
      to.scores[rank] = score_of(curve, windows[k].sum);
    }
  }
}

__global__ void __launch_bounds__(kSelectionThreads)
    select_kernel(const AcfBuffers buffers, ScoreCurve curve, cuda::DeviceDetections to) {
  cuda::wait_for_previous_kernel();
  const unsigned all = *buffers.found_count;
  const unsigned count = min(all, buffers.capacity);
  if (count <= kAllWarps)
    rank_windows<1>(buffers, count, curve, to);
  else
    rank_windows<kRanked>(buffers, count, curve, to);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *to.count = all > buffers.capacity ? to.capacity + (all - buffers.capacity) : all;
}

}  // namespace

cuda::Overlap kernel_overlap() {
  constexpr int kTen = 10;
  int device = 0;
  int major = 0;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  FACEPIPE_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  return kTen * major >= cuda::kOldestWithClusters ? cuda::Overlap::prologue : cuda::Overlap::none;
}

std::size_t shared_samples() {
  int device = 0;
  int most = 0;
  cudaFuncAttributes facts{};
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  FACEPIPE_CUDA_CHECK(
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  FACEPIPE_CUDA_CHECK(cudaFuncGetAttributes(&facts, scan_kernel<true>));
  constexpr std::size_t kReserved = 1024;  // of each block, by CUDA
  const std::size_t room = static_cast<std::size_t>(most) / kBlocks;
  const std::size_t taken = facts.sharedSizeBytes + kReserved;
  return room > taken ? (room - taken) / sizeof(float) : 0;
}

int scan_blocks(const AcfPlan& plan) {
  int device = 0;
  int processors = 0;
  int at_once = 0;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  FACEPIPE_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  // The same for all detectors, as it holds for the kernel and not for a launch.
  FACEPIPE_CUDA_CHECK(cudaFuncSetAttribute(scan_kernel<true>,
                                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(shared_samples() * sizeof(float))));
  FACEPIPE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, kernel_of(plan),
                                                                    kThreads, shared_bytes(plan)));
  return std::max(1, at_once * processors);
}

void launch_scan(const AcfPlan& plan, const BatchPlan& batch, const AcfBuffers& buffers, int blocks,
                 cuda::StreamView stream) {
  if (batch.tiles == 0) return;
  const auto grid = static_cast<unsigned>(std::min(blocks, batch.tiles));
  cuda::launch(kernel_of(plan),
               {.grid = grid,
                .block = kThreads,
                .shared_bytes = shared_bytes(plan),
                .overlap = plan.overlap},
               stream, plan, buffers, batch);
}

void launch_selection(const AcfPlan& plan, const AcfBuffers& buffers,
                      const cuda::DeviceDetections& to, cuda::StreamView stream) {
  cuda::launch(select_kernel,
               {.grid = kSelectionBlocks, .block = kSelectionThreads, .overlap = plan.overlap},
               stream, buffers, plan.curve, to);
}

}  // namespace facepipe::detector::acf
