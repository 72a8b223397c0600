// Stages of a cascade over sums in shared memory: with a window a lane, and with a window a warp.
#pragma once

#include <cstdint>

#include "detector/cascade/cuda/kernels.h"
#include "detector/cascade/cuda/lanes.cuh"

namespace facepipe::cascade {

// --- Trees, node by node ---

__device__ inline float value_of(const DeviceNode& node, const float* window, float inverse) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    if (node.weights[i] == 0) break;
    const std::int32_t* const corner = node.corners + 4 * i;
    const float rect =
        (window[corner[0]] - window[corner[1]]) - (window[corner[2]] - window[corner[3]]);
    sum += node.weights[i] * rect;  // whole numbers below 2^24: exact, fused or not
  }
  return __fmul_rn(sum, inverse);
}

__device__ inline float leaf_of(const DeviceNode* node, const float* window, float inverse) {
  for (;;) {
    const DeviceNode read = *node;
    const bool is_left = value_of(read, window, inverse) < read.threshold;
    const int child = is_left ? read.left : read.right;
    if (child == 0) return is_left ? read.left_leaf : read.right_leaf;
    node += child;
  }
}

/// In double precision and in the file's order, as OpenCV decides. `nodes` are those for the
/// window's sums.
__device__ inline bool passes_exactly(const ScanPlan& plan, const DeviceNode* nodes,
                                      const DeviceStage& stage, const float* window,
                                      float inverse) {
  double sum = 0;
  for (int i = 0; i < stage.tree_count; ++i)
    sum = __dadd_rn(sum, static_cast<double>(
                             leaf_of(nodes + plan.roots[stage.first_tree + i], window, inverse)));
  return sum >= static_cast<double>(stage.threshold);
}

/// What a stage's sum in single precision tells.
enum class Verdict { fails, passes, unsure };

__device__ inline Verdict verdict_of(float sum, const DeviceStage& stage) {
  if (sum >= __fadd_rn(stage.threshold, stage.doubt)) return Verdict::passes;
  return sum < __fsub_rn(stage.threshold, stage.doubt) ? Verdict::fails : Verdict::unsure;
}

// --- A window a lane ---

/// `kWindows` windows of a lane.
template <int kWindows>
struct Windows {
  const float* sums[kWindows];
  float inverses[kWindows];
};

/// Adds each window's leaf of the stump of `kCorners` corners whose words begin at `words`.
template <int kCorners, int kWindows>
__device__ __forceinline__ void add_stump(const Words* words, const Windows<kWindows>& windows,
                                          float (&leaves)[kWindows]) {
  constexpr int kGroups = stump_words(kCorners);
  std::uint32_t word[4 * kGroups];
#pragma unroll
  for (int i = 0; i < kGroups; ++i) {
    const Words read = words[i];
#pragma unroll
    for (int k = 0; k < 4; ++k) word[4 * i + k] = read.word[k];
  }
  const std::uint32_t* const rest = word + 2 * kCorners;
#pragma unroll
  for (int w = 0; w < kWindows; ++w) {
    const auto* const window = reinterpret_cast<const char*>(windows.sums[w]);
    float sum = 0;  // whole numbers below 2^24: exact
#pragma unroll
    for (int i = 0; i < kCorners; ++i)
      sum +=
          __uint_as_float(word[2 * i + 1]) * *reinterpret_cast<const float*>(window + word[2 * i]);
    const bool is_left = __fmul_rn(sum, windows.inverses[w]) < __uint_as_float(rest[0]);
    leaves[w] = __fadd_rn(leaves[w], __uint_as_float(is_left ? rest[1] : rest[2]));
  }
}

/// Those of one kind; `words` goes behind them.
template <int kKind, int kWindows>
__device__ __forceinline__ void add_kind(const Words*& words, const DeviceStage& stage,
                                         const Windows<kWindows>& windows,
                                         float (&leaves)[kWindows]) {
  constexpr int kCorners = kStumpCorners[kKind];
  const Words* const end = words + stage.stumps[kKind] * stump_words(kCorners);
#pragma unroll 1
  for (; words != end; words += stump_words(kCorners)) add_stump<kCorners>(words, windows, leaves);
}

/// A stage's leaves in single precision and in any order. `words` are those of all stages, `nodes`
/// those for the windows' sums.
template <bool kStumps, int kWindows>
__device__ __forceinline__ void add_leaves(const ScanPlan& plan, const DeviceStage& stage,
                                           const Words* words, const DeviceNode* nodes,
                                           const Windows<kWindows>& windows,
                                           float (&leaves)[kWindows]) {
  if constexpr (kStumps) {
    words += stage.first_words;
    add_kind<0>(words, stage, windows, leaves);
    add_kind<1>(words, stage, windows, leaves);
    add_kind<2>(words, stage, windows, leaves);
    add_kind<3>(words, stage, windows, leaves);
  } else {
    for (int i = 0; i < stage.tree_count; ++i) {
      const DeviceNode* const root = nodes + plan.roots[stage.first_tree + i];
#pragma unroll
      for (int w = 0; w < kWindows; ++w)
        leaves[w] = __fadd_rn(leaves[w], leaf_of(root, windows.sums[w], windows.inverses[w]));
    }
  }
}

// --- A window a warp ---

/// One corner's share of a stump's sum.
__device__ inline float corner_value(std::uint32_t corner, const float* sums) {
  return __uint_as_float(corner & 0xffff0000U) * sums[corner & 0xffffU];
}

/// The leaf of the lane's own stump.
__device__ inline float leaf_of_block(const StumpBlock& block, const float* sums, float inverse) {
  const unsigned lane = threadIdx.x % kLanes;
  const Words a = block.first[0][lane];
  const Words b = block.first[1][lane];
  const Words c = block.first[2][lane];
  const int corners = block.most_corners;
  float sum = 0;  // whole numbers below 2^24: exact
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
  const bool is_left = __fmul_rn(sum, inverse) < __uint_as_float(c.word[1]);
  return __uint_as_float(is_left ? c.word[2] : c.word[3]);
}

/// A stage's leaves in single precision and in any order.
template <bool kStumps>
__device__ float leaves_of_warp(const ScanPlan& plan, const DeviceStage& stage, int sparse,
                                const float* sums, float inverse) {
  float leaves = 0;
  if constexpr (kStumps) {
    const StumpBlock* const blocks = plan.blocks[sparse] + stage.first_block;
    for (int i = 0; i * kLanes < stage.tree_count; ++i)
      leaves = __fadd_rn(leaves, leaf_of_block(blocks[i], sums, inverse));
  } else {
    for (int i = static_cast<int>(threadIdx.x) % kLanes; i < stage.tree_count; i += kLanes) {
      const DeviceNode* const root = plan.nodes[sparse] + plan.roots[stage.first_tree + i];
      leaves = __fadd_rn(leaves, leaf_of(root, sums, inverse));
    }
  }
  return sum_of_lanes(leaves);
}

/// Through all stages from `first` on.
template <bool kStumps>
__device__ bool warp_passes(const ScanPlan& plan, int first, int sparse, const float* sums,
                            float inverse) {
  for (int index = first; index < plan.stage_count; ++index) {
    const DeviceStage stage = plan.stages[index];
    const float leaves = leaves_of_warp<kStumps>(plan, stage, sparse, sums, inverse);
    const Verdict verdict = verdict_of(leaves, stage);
    if (verdict == Verdict::fails) return false;
    if (verdict == Verdict::unsure &&
        !passes_exactly(plan, plan.nodes[sparse], stage, sums, inverse))
      return false;
  }
  return true;
}

}  // namespace facepipe::cascade
