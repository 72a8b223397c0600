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
constexpr int kBlocks = 2;   ///< number of blocks that a multiprocessor runs at the same time
constexpr int kWindows = 2;  ///< number of windows for which a lane reads each tree only once
static_assert(kScanColumns == kLanes && kMostScanRows == kWindows * kWarps);
constexpr int kFirstTrees = 8;
/// Number of trees in a chunk. Shared memory has room for two chunks: the chunk of this round and
/// the next one.
constexpr int kChunk = 64;
/// If a tile has at most this many places left, each warp evaluates a window. Then this is faster
/// than a window for each lane.
constexpr unsigned kFew = 64;
/// If each warp evaluates a window, a round ends at the tree of this number or later.
constexpr int kLeastRound = 128;
// So later rounds begin and end at a multiple of kWarpTrees.
static_assert(2 * kChunk % kWarpTrees == 0 && kLeastRound % kWarpTrees == 0);

// --- A tile --------------------------------------------------------------------------------------

/// Holds the sums of a lane's windows after some trees.
struct Sums {
  std::int32_t sum[kWindows];    ///< sum of the leaves
  std::int32_t least[kWindows];  ///< least sum after any of these trees
};

/// Holds those parts of a block's shared memory that have a fixed size. Places are numbered row by
/// row.
struct ScanMemory {
  DeviceTree trees[2][kChunk];
  int tile;
  /// lengths of the lists of this round and of the next round; the lengths of the round after next
  /// are set to 0
  int counts[3][kLanes];
  int left[2];  ///< number of places in each list, once the lists have no gaps
  std::int32_t part_sums[kWarps][kWindows][kLanes];
  std::int32_t part_leasts[kWarps][kWindows][kLanes];
};

/// Refers to the rest of the shared memory. Its size depends on a tile's number of places.
struct PlaceLists {
  std::int32_t* sums;  ///< sum of leaves of each place
  /// The places that have reached a round. They are listed by the bank of shared memory in which
  /// their cells begin. Entry `i` of bank `b` is at i * kLanes + b. Each lane takes places from its
  /// own list. So lanes never access the same bank, because a tree's feature has the same distance
  /// from the window in all lanes. A round reads its own list and fills the list of the next round.
  std::uint16_t* places;
  int most_places;

  [[nodiscard]] __device__ std::uint16_t* list(int number) const {
    return places + (number % 2 == 0 ? 0 : most_places);
  }
};

__device__ PlaceLists lists_of(const AcfPlan& plan, float* shared) {
  const int places = plan.classifier.scan.rows * kScanColumns;
  return {reinterpret_cast<std::int32_t*>(shared),
          reinterpret_cast<std::uint16_t*>(shared + places), places};
}

struct ScanTile {
  const DeviceScale* scale;
  Size first;   ///< first place of the tile
  Size places;  ///< number of places in the tile; fewer at the scale's border
  const float* cells;
  int stride;  ///< samples from one row of cells to the next
};

__device__ ScanTile tile_of(const AcfPlan& plan, int index, const AcfBuffers& buffers) {
  const Part part = plan.pyramid.tiles[index];
  ScanTile tile;
  tile.scale = plan.pyramid.scales + part.scale;
  const Size all = tile.scale->scale.places;
  tile.first = {part.column, part.row};
  tile.places = {min(kScanColumns, all.width - part.column),
                 min(plan.classifier.scan.rows, all.height - part.row)};
  tile.cells = buffers.cells + tile.scale->first_cell +
               std::int64_t{part.row} * plan.pyramid.stride + part.column;
  tile.stride = plan.pyramid.stride;
  return tile;
}

/// Copies the cells that the tile's windows cover. A thread copies 16 bytes, and half a warp copies
/// a row.
__device__ void load_cells(const AcfPlan& plan, float* shared, const ScanTile& tile) {
  constexpr int kSamples = 4;
  constexpr int kRowThreads = kLanes / 2;
  constexpr int kRowsAtOnce = kThreads / kRowThreads;
  const int rows = tile.places.height + plan.classifier.window.height - 1;
  const int columns = tile.places.width + plan.classifier.window.width - 1;
  const int x = static_cast<int>(threadIdx.x) % kRowThreads * kSamples;
  int row = static_cast<int>(threadIdx.x) / kRowThreads;
  const float* from = tile.cells + std::int64_t{row} * plan.pyramid.stride;
  float* to = shared + row * plan.classifier.scan.stride;
  for (int channel = 0;; row += kRowsAtOnce, from += kRowsAtOnce * plan.pyramid.stride,
           to += kRowsAtOnce * plan.classifier.scan.stride) {
    for (; row >= rows; row -= rows, ++channel) {
      from += plan.pyramid.plane - std::int64_t{rows} * plan.pyramid.stride;
      to += plan.classifier.scan.plane - rows * plan.classifier.scan.stride;
    }
    if (channel >= kChannels) return;
    for (int i = x; i < columns; i += kRowThreads * kSamples)
      __pipeline_memcpy_async(to + i, from + i, kSamples * sizeof(float));
  }
}

/// Copies trees, beginning with tree `first`, which must be a multiple of kChunk. The plan has
/// empty trees after the last tree.
__device__ void load_trees(const AcfPlan& plan, int first, ScanMemory& memory) {
  constexpr int kBytes = 16;
  constexpr int kPieces = kChunk * static_cast<int>(sizeof(DeviceTree)) / kBytes;
  auto* const to = reinterpret_cast<std::byte*>(memory.trees[first / kChunk % 2]);
  const auto* const from = reinterpret_cast<const std::byte*>(plan.classifier.trees + first);
  for (int i = static_cast<int>(threadIdx.x); i < kPieces; i += kThreads)
    __pipeline_memcpy_async(to + i * kBytes, from + i * kBytes, kBytes);
}

/// Waits until the copies that this thread has started are complete.
__device__ void wait_for_copies() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

/// Returns the distance of a place's window from the tile's first cell, in samples.
__device__ int window_at(const ScanTile& tile, int place) {
  return place / kScanColumns * tile.stride + place % kScanColumns;
}

// --- Trees ---------------------------------------------------------------------------------------

__device__ __forceinline__ float cell_at(const float* window, std::int32_t offset) {
  return *reinterpret_cast<const float*>(reinterpret_cast<const char*>(window) + offset);
}

__device__ __forceinline__ std::int32_t leaf_of(const DeviceTree& tree, const float* window) {
  // All three cells are loaded at the same time, because a second load that waits for the first
  // takes longer.
  const bool is_left = cell_at(window, tree.offsets[0]) < tree.thresholds[0];
  const bool is_first = cell_at(window, tree.offsets[1]) < tree.thresholds[1];
  const bool is_third = cell_at(window, tree.offsets[2]) < tree.thresholds[2];
  // The leaves are copied to variables. Otherwise the compiler chooses between addresses, and loads
  // once for each lane.
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

/// Evaluates the trees [first, end), which must belong to one chunk.
__device__ __forceinline__ void walk(const ScanMemory& memory, int first, int end,
                                     const float* const (&windows)[kWindows], Sums& sums) {
  const DeviceTree* const chunk = memory.trees[first / kChunk % 2];
  const int count = end - first;
  const DeviceTree* const begin = chunk + first % kChunk;
#pragma unroll 2
  for (int i = 0; i < count; ++i) add_tree(begin[i], windows, sums);
}

// --- Evaluation of the trees for a tile's windows ------------------------------------------------

/// Appends a place to the list of `round`, and stores its sum so far.
__device__ void append(int round, const ScanTile& tile, const PlaceLists& lists, int place,
                       std::int32_t sum, ScanMemory& memory) {
  const int bank = window_at(tile, place) % kLanes;
  const int at = atomicAdd(&memory.counts[round % 3][bank], 1);
  lists.list(round % 2)[at * kLanes + bank] = static_cast<std::uint16_t>(place);
  lists.sums[place] = sum;
}

/// Evaluates the first trees at all places. Each warp does this for two rows.
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
    if (there[w] && sums.least[w] > plan.classifier.threshold)
      append(1, tile, lists, (warp + w * kWarps) * kLanes + lane, sums.sum[w], memory);
}

/// Holds two places of a lane's list of places that have reached a round.
struct Pair {
  int places[kWindows];
  bool there[kWindows];
  const float* windows[kWindows];
};

/// Returns the pair of this number in the lane's list.
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

/// If there are few pairs, the trees are divided into parts, and each warp evaluates one part for
/// one pair. Returns the base-2 logarithm of the number of parts.
__device__ int log2_of_parts(int pairs, int trees) {
  int parts = 0;
  while (parts < kLog2Warps && pairs <= kWarps >> (parts + 1) && 2 << parts <= trees) ++parts;
  return parts;
}

/// Combines the results of consecutive parts of the trees. `sharers` warps evaluate each part, for
/// different windows. The warps of the first part get the result. All threads must call it.
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

/// Evaluates trees for the places that have reached this round. Returns false and does nothing if
/// few places are left. If there are fewer pairs than warps, several warps share the trees of a
/// pair, so that all warps have work.
__device__ bool next_round(const AcfPlan& plan, const ScanTile& tile, const PlaceLists& lists,
                           int round, int first, int end, ScanMemory& memory) {
  const int lane = static_cast<int>(nms::lane_id());
  const int warp = nms::of_warp(static_cast<int>(threadIdx.x) / kLanes);
  if (warp == 0) memory.counts[(round + 2) % 3][lane] = 0;
  const int count = memory.counts[round % 3][lane];
  if (nms::warp_sum(static_cast<unsigned>(count)) <= kFew) return false;
  if (end % kChunk == 0 && end < plan.classifier.tree_count) load_trees(plan, end, memory);
  const int most = nms::of_warp(nms::warp_combined(count, [](int a, int b) { return max(a, b); }));
  const int pairs = (most + kWindows - 1) / kWindows;
  // The number of parts is a power of two, so that no division is needed. Each part has at least
  // one tree, so that its least sum is defined.
  const int log2_parts = log2_of_parts(pairs, end - first);
  const int parts = 1 << log2_parts;
  const int log2_sharers = kLog2Warps - log2_parts;  // 2^log2_sharers warps have the same part
  // each warp enters this loop at least once, because all must call add_parts() together
  for (int i = warp; i < max(pairs, kWarps); i += kWarps) {
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
      if (pair.there[w] && sums.least[w] > plan.classifier.threshold)
        append(round + 1, tile, lists, pair.places[w], sums.sum[w], memory);
  }
  wait_for_copies();
  __syncthreads();
  return true;
}

// --- The last windows: each warp decides a window ------------------------------------------------

/// Moves the places that have reached `round` into the other list, without gaps. Returns the number
/// of that list.
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

/// Describes how consecutive trees change a sum: how much they add, and the least sum after any of
/// them, if the sum before them is 0. Without a tree, `least` is kNoSum.
struct Run {
  static constexpr std::int32_t kNoSum = INT32_MAX;
  std::int32_t sum = 0;
  std::int32_t least = kNoSum;
};

__device__ Run followed_by(const Run& first, const Run& next) {
  const std::int32_t least = next.least == Run::kNoSum ? Run::kNoSum : first.sum + next.least;
  return {first.sum + next.sum, min(first.least, least)};
}

/// Combines the runs of all lanes, in the lanes' order. The first lane gets the result.
__device__ Run of_lanes(Run run) {
#pragma unroll
  for (int step = 1; step < kLanes; step *= 2)
    run = followed_by(run, {__shfl_down_sync(nms::kAllLanes, run.sum, step),
                            __shfl_down_sync(nms::kAllLanes, run.least, step)});
  return run;
}

/// Evaluates the trees [first, end) for two windows, in whole blocks of kWarpTrees trees. Only
/// trees with a number >= `walked` contribute. Each lane has kLaneRun successive trees.
__device__ void walk_blocks(const AcfPlan& plan, int first, int end, int walked,
                            const float* const (&windows)[kWindows], Run (&runs)[kWindows]) {
  const int lane = static_cast<int>(nms::lane_id());
  const int last = min(end, plan.classifier.tree_count);
#pragma unroll
  for (int w = 0; w < kWindows; ++w) runs[w] = {};
  for (int block = first; block < end; block += kWarpTrees) {
    Run lane_runs[kWindows];
    DeviceTree next = plan.classifier.warp_trees[block + lane];
#pragma unroll
    for (int k = 0; k < kLaneRun; ++k) {
      const int number = block + lane * kLaneRun + k;
      const DeviceTree tree = next;
      if (k + 1 < kLaneRun) next = plan.classifier.warp_trees[block + (k + 1) * kLanes + lane];
      const bool counts = number >= walked && number < last;
#pragma unroll
      for (int w = 0; w < kWindows; ++w) {
        lane_runs[w].sum += counts ? leaf_of(tree, windows[w]) : 0;
        if (counts) lane_runs[w].least = min(lane_runs[w].least, lane_runs[w].sum);
      }
    }
#pragma unroll
    for (int w = 0; w < kWindows; ++w) runs[w] = followed_by(runs[w], of_lanes(lane_runs[w]));
  }
}

/// Evaluates the trees [walked, end) for the windows in list `from`. Appends the windows that
/// aren't rejected to the other list.
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
  // each warp enters this loop at least once, because all must call add_parts() together
  for (int i = warp; i < max(pairs, kWarps); i += kWarps) {
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
      if (kWindows * number + w < count && sums.least[w] > plan.classifier.threshold) {
        lists.list(1 - from)[atomicAdd(&memory.left[1 - from], 1)] =
            static_cast<std::uint16_t>(places[w]);
        lists.sums[places[w]] = sums.sum[w];
      }
  }
}

/// Evaluates all trees from `walked` on for the places that have reached `round`. Lists the windows
/// that pass.
__device__ void last_trees(const AcfPlan& plan, const ScanTile& tile, const AcfBuffers& buffers,
                           const PlaceLists& lists, int round, int walked, ScanMemory& memory) {
  int list = move_together(round, lists, memory);
  __syncthreads();
  while (walked < plan.classifier.tree_count && memory.left[list] > 0) {
    const int end = min(max(2 * walked, kLeastRound), plan.classifier.tree_count);
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
  float* const cells = shared + kListSamples * plan.classifier.scan.rows * kScanColumns;
  for (;;) {
    if (thread == 0)
      memory.tile = static_cast<int>(atomicAdd(buffers.next_tiles + batch.number, 1U));
    if (thread < kLanes) memory.counts[1][thread] = memory.counts[2][thread] = 0;
    __syncthreads();
    if (memory.tile >= batch.tiles) return;
    // Coarse scales come first, because their windows pass more trees. If coarse scales came last,
    // the other blocks would wait for them at the end.
    ScanTile tile = tile_of(plan, batch.first_tile + batch.tiles - 1 - memory.tile, buffers);
    load_trees(plan, 0, memory);
    if constexpr (kShared) {
      load_cells(plan, cells, tile);
      tile.cells = cells;
      tile.stride = plan.classifier.scan.stride;
    }
    wait_for_copies();
    __syncthreads();
    int walked = min(kFirstTrees, plan.classifier.tree_count);
    first_round(plan, tile, lists, walked, memory);
    __syncthreads();
    int round = 1;
    for (; walked < plan.classifier.tree_count; ++round) {
      const int end = min(walked < kChunk ? min(4 * walked, kChunk) : walked + kChunk,
                          plan.classifier.tree_count);
      if (!next_round(plan, tile, lists, round, walked, end, memory)) break;
      walked = end;
    }
    last_trees(plan, tile, buffers, lists, round, walked, memory);
    __syncthreads();
  }
}
std::size_t shared_bytes(const AcfPlan& plan) {
  const std::int64_t lists = std::int64_t{kListSamples} * plan.classifier.scan.rows * kScanColumns;
  const std::int64_t cells =
      plan.classifier.scan.in_shared != 0 ? plan.classifier.scan.plane * kChannels : 0;
  return static_cast<std::size_t>(lists + cells) * sizeof(float);
}

using ScanKernel = void (*)(AcfPlan, AcfBuffers, BatchPlan);

ScanKernel kernel_of(const AcfPlan& plan) {
  return plan.classifier.scan.in_shared != 0 ? scan_kernel<true> : scan_kernel<false>;
}

// --- Candidates ----------------------------------------------------------------------------------

constexpr int kSelectionThreads = 256;
constexpr unsigned kSelectionWarps = kSelectionThreads / kLanes;
constexpr unsigned kSelectionBlocks = 512;  ///< enough blocks for any device
constexpr unsigned kAllWarps = kSelectionBlocks * kSelectionWarps;
/// number of windows that a warp ranks at once, if there are more windows than warps
constexpr unsigned kRanked = 4;

/// Ranks windows; each warp ranks `kCount` windows at once. A window's rank is the number of
/// windows before it.
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
  constexpr std::size_t kReserved = 1024;  // number of bytes that CUDA takes from each block
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
  // The attribute belongs to the kernel and not to a launch, so all detectors set the same value.
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
               stream, buffers, plan.classifier.curve, to);
}

}  // namespace facepipe::detector::acf
