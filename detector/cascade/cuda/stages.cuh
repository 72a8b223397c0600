// Stages of a cascade over sums in shared memory: with a window a lane, and with a window a warp.
#pragma once

#include <cstdint>

#include "detector/cascade/cuda/kernels.h"
#include "nms/cuda/device.cuh"

namespace facepipe::cascade {

constexpr int kLanes = 32;

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

/// By `leaves`, the stage's in single precision, where they tell.
__device__ inline bool passes(const ScanPlan& plan, const DeviceNode* nodes,
                              const DeviceStage& stage, float leaves, const float* window,
                              float inverse) {
  if (leaves >= __fadd_rn(stage.threshold, stage.doubt)) return true;
  if (leaves < __fsub_rn(stage.threshold, stage.doubt)) return false;
  return passes_exactly(plan, nodes, stage, window, inverse);
}

// --- A window a lane ---

constexpr int kWindows = 2;

/// Of a lane: what is read of a stump serves all of them.
struct Windows {
  const float* sums[kWindows];
  float inverses[kWindows];
};

/// The part-th of `parts` parts of a stage's trees.
struct Part {
  int part = 0;
  int parts = 1;

  [[nodiscard]] __device__ int begin(int trees) const { return trees * part / parts; }
  [[nodiscard]] __device__ int end(int trees) const { return trees * (part + 1) / parts; }
};

/// Adds each window's leaf of the stumps of one run from the pair `at`, counted through both
/// layouts, to `end`.
template <int kCorners>
__device__ __forceinline__ void add_stumps(const StumpWords& stumps, int at, int end,
                                           const float (&counts)[12], const Windows& windows,
                                           float (&leaves)[kWindows]) {
  constexpr int kPairs = stump_pairs(kCorners);
  const WordPair* const pairs = stumps.pairs[0];
#pragma unroll 1
  for (; at < end; at += kPairs) {
    std::uint32_t word[2 * kPairs];
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      const WordPair read = pairs[at + i];
      word[2 * i] = read.word[0];
      word[2 * i + 1] = read.word[1];
    }
    const std::uint32_t* const rest = word + kCorners;
#pragma unroll
    for (int w = 0; w < kWindows; ++w) {
      const auto* const window = reinterpret_cast<const char*>(windows.sums[w]);
      float sum = 0;  // whole numbers below 2^24: exact
#pragma unroll
      for (int i = 0; i < kCorners; ++i)
        sum += counts[i] * *reinterpret_cast<const float*>(window + word[i]);
      const bool is_left = __fmul_rn(sum, windows.inverses[w]) < __uint_as_float(rest[0]);
      leaves[w] = __fadd_rn(leaves[w], __uint_as_float(is_left ? rest[1] : rest[2]));
    }
  }
}

/// Those of a run from `begin` to `end`, numbers among the stage's stumps.
__device__ __forceinline__ void add_run(const StumpWords& stumps, int sparse, const StumpRun& of,
                                        int begin, int end, const Windows& windows,
                                        float (&leaves)[kWindows]) {
  const StumpRun run = of;
  const int first = sparse * kMostStumpPairs + run.first_pair;
  const int pairs = stump_pairs(run.corners);
  const int from = nms::of_warp(first + max(begin - run.first, 0) * pairs);
  const int to = nms::of_warp(first + min(end - run.first, run.count) * pairs);
  if (run.corners == 6)
    add_stumps<6>(stumps, from, to, run.counts, windows, leaves);
  else if (run.corners == 8)
    add_stumps<8>(stumps, from, to, run.counts, windows, leaves);
  else if (run.corners == 9)
    add_stumps<9>(stumps, from, to, run.counts, windows, leaves);
  else
    add_stumps<12>(stumps, from, to, run.counts, windows, leaves);
}

/// A part of a stage's leaves in single precision and in any order. `runs` are those of all stages,
/// `sparse` tells for which sums. All lanes of a warp call it.
template <bool kStumps>
__device__ __forceinline__ void add_leaves(const ScanPlan& plan, const StumpWords& stumps,
                                           const StumpRun* runs, const DeviceStage& stage,
                                           Part part, int sparse, const Windows& windows,
                                           float (&leaves)[kWindows]) {
  const int begin = part.begin(stage.tree_count);
  const int end = part.end(stage.tree_count);
  if constexpr (kStumps) {
    for (int i = 0; i < stage.runs; ++i)
      add_run(stumps, sparse, runs[stage.first_run + i], begin, end, windows, leaves);
  } else {
    for (int i = begin; i < end; ++i) {
      const DeviceNode* const root = plan.nodes[sparse] + plan.roots[stage.first_tree + i];
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
  return nms::warp_combined(leaves, [](float a, float b) { return __fadd_rn(a, b); });
}

/// Through all stages from `first` on.
template <bool kStumps>
__device__ bool warp_passes(const ScanPlan& plan, int first, int sparse, const float* sums,
                            float inverse) {
  for (int index = first; index < plan.stage_count; ++index) {
    const DeviceStage stage = plan.stages[index];
    const float leaves = leaves_of_warp<kStumps>(plan, stage, sparse, sums, inverse);
    if (!passes(plan, plan.nodes[sparse], stage, leaves, sums, inverse)) return false;
  }
  return true;
}

}  // namespace facepipe::cascade
