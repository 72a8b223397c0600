// Code that the kernels of variants.cu and launches.cu share.
#pragma once

#include "detector/acf/cuda/found.cuh"
#include "experiments/programs/acf_variants/variants.h"
#include "nms/cuda/device.cuh"

namespace facepipe::acf_variants {

/// The threads of a block in which each thread has its own window.
inline constexpr int kWindowThreads = 256;
inline constexpr int kStageWarps = kStageThreads / 32;

/// Returns how many blocks of kWindowThreads are needed for this number of threads.
[[nodiscard]] inline unsigned blocks_for(std::uint32_t threads) {
  return (threads + kWindowThreads - 1) / kWindowThreads;
}

[[nodiscard]] inline unsigned window_blocks(const VariantArguments& arguments) {
  return blocks_for(arguments.windows);
}

/// A window, whose cells are read from global memory.
struct Window {
  WindowPlace place;
  const float* cells;
};

__device__ inline Window window_at(const VariantArguments& arguments, std::uint32_t place) {
  const detector::acf::AcfPlan& plan = arguments.plan;
  Window window{window_of(plan.pyramid.scales, plan.pyramid.scale_count, place), nullptr};
  const detector::acf::DeviceScale& scale = plan.pyramid.scales[window.place.scale];
  window.cells = arguments.buffers.cells + scale.first_cell +
                 std::int64_t{window.place.at.y} * plan.pyramid.stride + window.place.at.x;
  return window;
}

__device__ inline void list(const VariantArguments& arguments, const Window& window,
                            std::int32_t sum) {
  detector::acf::list_found(arguments.plan, arguments.plan.pyramid.scales[window.place.scale],
                            window.place.at, sum, arguments.buffers);
}

/// Evaluates the first trees for the thread's own window. Returns whether the thread has a window,
/// and the window passes these trees.
__device__ inline bool is_left(const VariantArguments& arguments, std::uint32_t place, int trees,
                               std::int32_t& sum) {
  if (place >= arguments.windows) return false;
  const Window window = window_at(arguments, place);
  return walk(arguments.plan.classifier.trees, 0, trees, arguments.plan.classifier.threshold,
              window.cells, sum);
}

__device__ inline std::uint32_t place_of_thread() {
  return blockIdx.x * kWindowThreads + threadIdx.x;
}

__device__ inline void add_alive(const AliveWindows& alive, std::uint32_t place, std::int32_t sum) {
  alive.windows[atomicAdd(alive.count, 1U)] = {place, sum};
}

/// Combines the groups of all threads in the order of the threads. Every thread gets the result.
__device__ inline Group of_block(Group group) {
  __shared__ Group warps[kStageWarps];
  for (int step = 1; step < 32; step *= 2)
    group = followed_by(group, {__shfl_down_sync(nms::kAllLanes, group.sum, step),
                                __shfl_down_sync(nms::kAllLanes, group.least, step)});
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = group;
  __syncthreads();
  Group all;
  for (const Group& warp : warps) all = followed_by(all, warp);
  __syncthreads();
  return all;
}

/// Evaluates the trees from number `walked` on for one window, whose sum so far is `sum`. All
/// threads of the block must call this; each evaluates one of kStageThreads trees at the same time.
template <Exit kExit>
__device__ void finish_window(const VariantArguments& arguments, std::uint32_t place, int walked,
                              std::int32_t sum) {
  const detector::acf::AcfPlan& plan = arguments.plan;
  const Window window = window_at(arguments, place);
  for (int first = walked; first < plan.classifier.tree_count; first += kStageThreads) {
    const int number = first + static_cast<int>(threadIdx.x);
    Group group;
    if (number < plan.classifier.tree_count)
      group.sum = group.least = leaf_of(plan.classifier.trees[number], window.cells);
    group = of_block(group);
    const std::int32_t least = sum + (kExit == Exit::as_one_by_one ? group.least : group.sum);
    sum += group.sum;
    if (least <= plan.classifier.threshold) return;
  }
  if (threadIdx.x == 0) list(arguments, window, sum);
}

}  // namespace facepipe::acf_variants
