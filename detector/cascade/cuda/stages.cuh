// Evaluates stages of a cascade over sums in shared memory: either each lane evaluates a window, or
// each warp does.
#pragma once

#include <cstdint>

#include "detector/cascade/cuda/kernels.h"
#include "nms/cuda/device.cuh"

namespace facepipe::detector::cascade {

constexpr int kLanes = 32;

// --- Trees, node by node ---

/// Returns a feature's value times `inverse`. `value` is the feature's value mod 2^32. The
/// feature's value is a whole number whose magnitude is below 2^24.
__device__ inline float scaled(unsigned value, float inverse) {
  return __fmul_rn(__int2float_rn(static_cast<int>(value)), inverse);
}

__device__ inline float value_of(const DeviceNode& node, const unsigned* window, float inverse) {
  unsigned value = 0;
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    if (node.weights[i] == 0) break;
    const std::int32_t* const corner = node.corners + 4 * i;
    const unsigned rect =
        (window[corner[0]] - window[corner[1]]) - (window[corner[2]] - window[corner[3]]);
    value += static_cast<unsigned>(node.weights[i]) * rect;
  }
  return scaled(value, inverse);
}

__device__ inline float leaf_of(const DeviceNode* node, const unsigned* window, float inverse) {
  for (;;) {
    const DeviceNode read = *node;
    const bool is_left = value_of(read, window, inverse) < read.threshold;
    const int child = is_left ? read.left : read.right;
    if (child == 0) return is_left ? read.left_leaf : read.right_leaf;
    node += child;
  }
}

/// Decides in double precision and in the file's order of trees, as OpenCV does. `nodes` must be
/// the nodes for the layout of the window's sums.
__device__ inline bool passes_exactly(const ScanPlan& plan, const DeviceNode* nodes,
                                      const DeviceStage& stage, const unsigned* window,
                                      float inverse) {
  double sum = 0;
  for (int i = 0; i < stage.tree_count; ++i)
    sum = __dadd_rn(sum, static_cast<double>(leaf_of(
                             nodes + plan.cascade.roots[stage.first_tree + i], window, inverse)));
  return sum >= static_cast<double>(stage.threshold);
}

/// Decides whether a window passes. `leaves` is the sum of the stage's leaves, in units. If this
/// sum is too near to the threshold, decides by passes_exactly().
__device__ inline bool passes(const ScanPlan& plan, const DeviceNode* nodes,
                              const DeviceStage& stage, int leaves, const unsigned* window,
                              float inverse) {
  if (leaves >= stage.passes_from) return true;
  if (leaves < stage.fails_below) return false;
  return passes_exactly(plan, nodes, stage, window, inverse);
}

__device__ inline int in_units(float leaf, const DeviceStage& stage) {
  return __float2int_rn(__fmul_rn(leaf, stage.units));
}

// --- Each lane decides a window ---

constexpr int kWindows = 2;

/// Holds the windows of a lane. The lane reads each stump only once for all of them.
struct Windows {
  const unsigned* sums[kWindows];
  float inverses[kWindows];
};

/// Describes part number `part` of a stage's trees, which are divided into `parts` parts.
struct Part {
  int part = 0;
  int parts = 1;

  [[nodiscard]] __device__ int begin(int trees) const { return trees * part / parts; }
  [[nodiscard]] __device__ int end(int trees) const { return trees * (part + 1) / parts; }
};

template <int kKind>
constexpr int kCorners = corners_of_kind(kKind);
template <int kKind>
constexpr int kStumpPairs = stump_pairs(kKind);
template <int kKind>
constexpr int kHeadPairs = run_head_pairs(kKind);

/// Reads the words of a stump, or of the head of a run.
template <int kPairs>
struct PairsRead {
  std::uint32_t word[2 * kPairs];

  __device__ __forceinline__ PairsRead(const StumpWords& stumps, int at) {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      const WordPair read = stumps.pairs[0][at + i];
      word[2 * i] = read.word[0];
      word[2 * i + 1] = read.word[1];
    }
  }
};

__device__ __forceinline__ unsigned sum_at(const unsigned* window, std::uint32_t corner) {
  return *reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(window) + corner);
}

/// Returns a stump's value mod 2^32. First adds the sums whose factor is 1 or -1, then those whose
/// factor is 2 or -2, and so on.
template <int kKind>
__device__ __forceinline__ unsigned value_of_kind(const std::uint32_t* corners,
                                                  const unsigned* window) {
  constexpr StumpKind kOf = kStumpKinds[kKind];
  unsigned value = 0;
#pragma unroll
  for (int times = 1; times <= 4; ++times) {
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < kOf.corners; ++i) {
      if (kOf.counts[i] == times) sum += sum_at(window, corners[i]);
      if (kOf.counts[i] == -times) sum -= sum_at(window, corners[i]);
    }
    value += static_cast<unsigned>(times) * sum;
  }
  return value;
}

/// Returns a stump's value mod 2^32, for a kind whose factors are known only at run time.
__device__ __forceinline__ unsigned value_of_other(const std::uint32_t* corners,
                                                   const std::uint32_t* counts,
                                                   const unsigned* window) {
  unsigned value = 0;
#pragma unroll
  for (int i = 0; i < kMostCorners; ++i) value += counts[i] * sum_at(window, corners[i]);
  return value;
}

/// Says how far a stage's stumps have been read. `pair` is an index of WordPairs, counted over both
/// layouts. `stump` is an index of the stage's stumps.
struct StumpPlace {
  int pair;
  int stump;
};

/// Adds a run's stumps to each window's leaves: those with an index in the stage from `begin` up
/// to, but not including, `end`. A stump that decides left adds its left leaf minus its right leaf.
/// `place` is at the run's head, and is moved to the next run.
template <int kKind>
__device__ __forceinline__ void add_run(const StumpWords& stumps, int begin, int end,
                                        const Windows& windows, int (&leaves)[kWindows],
                                        StumpPlace& place) {
  constexpr int kPairs = kStumpPairs<kKind>;
  const PairsRead<kHeadPairs<kKind>> head(stumps, place.pair);
  const auto count = static_cast<int>(head.word[1]);
  const int first = place.pair + kHeadPairs<kKind>;
  const int last = first + min(end - place.stump, count) * kPairs;
#pragma unroll 1
  for (int at = first + max(begin - place.stump, 0) * kPairs; at < last; at += kPairs) {
    const PairsRead<kPairs> stump(stumps, at);
    const std::uint32_t* const rest = stump.word + kCorners<kKind>;
#pragma unroll
    for (int w = 0; w < kWindows; ++w) {
      unsigned value = 0;
      if constexpr (kKind == kOtherKind)
        value = value_of_other(stump.word, head.word + 2, windows.sums[w]);
      else
        value = value_of_kind<kKind>(stump.word, windows.sums[w]);
      if (scaled(value, windows.inverses[w]) < __uint_as_float(rest[0]))
        leaves[w] += static_cast<int>(rest[1]);
    }
  }
  place = {first + count * kPairs, place.stump + count};
}

template <int kKind = 0>
__device__ __forceinline__ void add_run_of(int kind, const StumpWords& stumps, int begin, int end,
                                           const Windows& windows, int (&leaves)[kWindows],
                                           StumpPlace& place) {
  if (kKind == kOtherKind || kind == kKind)
    add_run<kKind>(stumps, begin, end, windows, leaves, place);
  else if constexpr (kKind < kOtherKind)
    add_run_of<kKind + 1>(kind, stumps, begin, end, windows, leaves, place);
}

/// Adds up the leaves of a part of a stage, in units. `sparse` is 1 for the layout of places with
/// step 2. All lanes of a warp must call it.
template <bool kStumps>
__device__ __forceinline__ void add_leaves(const ScanPlan& plan, const StumpWords& stumps,
                                           const DeviceStage& stage, Part part, int sparse,
                                           const Windows& windows, int (&leaves)[kWindows]) {
  const int begin = part.begin(stage.tree_count);
  const int end = part.end(stage.tree_count);
  if constexpr (kStumps) {
    if (part.part == 0)
      for (int& of_window : leaves) of_window = stage.rights;
    StumpPlace place{nms::of_warp(sparse * kMostStumpPairs + stage.first_pair), 0};
    for (int i = 0; i < stage.runs; ++i)
      add_run_of(static_cast<int>(stumps.pairs[0][place.pair].word[0]), stumps, begin, end, windows,
                 leaves, place);
  } else {
    for (int i = begin; i < end; ++i) {
      const DeviceNode* const root =
          plan.cascade.nodes[sparse] + plan.cascade.roots[stage.first_tree + i];
#pragma unroll
      for (int w = 0; w < kWindows; ++w)
        leaves[w] += in_units(leaf_of(root, windows.sums[w], windows.inverses[w]), stage);
    }
  }
}

// --- Each warp decides a window ---

/// Returns what one corner contributes to a stump's value.
__device__ inline unsigned corner_value(std::uint32_t corner, const unsigned* sums) {
  return static_cast<unsigned>(static_cast<int>(corner) >> 16) * sums[corner & 0xffffU];
}

/// Returns the leaf that the lane's own stump chooses, in units.
__device__ inline int leaf_of_block(const StumpBlock& block, const unsigned* sums, float inverse) {
  const unsigned lane = threadIdx.x % kLanes;
  const Words a = block.first[0][lane];
  const Words b = block.first[1][lane];
  const Words c = block.first[2][lane];
  const int corners = block.most_corners;
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) sum += corner_value(a.word[i], sums);
  sum += corner_value(b.word[0], sums);
  sum += corner_value(b.word[1], sums);
  if (corners > 6) {
    sum += corner_value(b.word[2], sums);
    sum += corner_value(b.word[3], sums);
  }
  if (corners > 8) sum += corner_value(c.word[0], sums);
  if (corners > 9) {
    const Words d = block.more[lane];
#pragma unroll
    for (int i = 0; i < 3; ++i) sum += corner_value(d.word[i], sums);
  }
  const bool is_left = scaled(sum, inverse) < __uint_as_float(c.word[1]);
  return static_cast<int>(is_left ? c.word[2] : c.word[3]);
}

/// Returns the sum of a stage's leaves, in units, in all lanes of the warp.
template <bool kStumps>
__device__ int leaves_of_warp(const ScanPlan& plan, const DeviceStage& stage, int sparse,
                              const unsigned* sums, float inverse) {
  int leaves = 0;
  if constexpr (kStumps) {
    const StumpBlock* const blocks = plan.cascade.blocks[sparse] + stage.first_block;
    for (int i = 0; i * kLanes < stage.tree_count; ++i)
      leaves += leaf_of_block(blocks[i], sums, inverse);
  } else {
    for (int i = static_cast<int>(threadIdx.x) % kLanes; i < stage.tree_count; i += kLanes) {
      const DeviceNode* const root =
          plan.cascade.nodes[sparse] + plan.cascade.roots[stage.first_tree + i];
      leaves += in_units(leaf_of(root, sums, inverse), stage);
    }
  }
  return static_cast<int>(nms::warp_sum(static_cast<unsigned>(leaves)));
}

/// Returns whether the window passes all stages from number `first` on.
template <bool kStumps>
__device__ bool warp_passes(const ScanPlan& plan, int first, int sparse, const unsigned* sums,
                            float inverse) {
  for (int index = first; index < plan.cascade.stage_count; ++index) {
    const DeviceStage& stage = plan.cascade.stages[index];
    const int leaves = leaves_of_warp<kStumps>(plan, stage, sparse, sums, inverse);
    if (!passes(plan, plan.cascade.nodes[sparse], stage, leaves, sums, inverse)) return false;
  }
  return true;
}

}  // namespace facepipe::detector::cascade
