// Defines the kernel of inverted_residual.h.
#pragma once

#include "core/cuda/programmatic.cuh"
#include "detector/cnn/cuda/operators/inverted_residual/expand.cuh"
#include "detector/cnn/cuda/operators/inverted_residual/project.cuh"

namespace facepipe::detector::engine {

constexpr int most_threads(int chunks) { return chunks <= 4 ? 512 : 384; }

/// Runs both phases of a block. `shared` holds, in this order:
/// * the strip; after the first phase, the partial sums that other blocks send;
/// * the weights of the projection;
/// * the results of the first phase;
/// * the weights of the first phase, if they are staged.
template <int kChunks, int kStride, int kRows>
__device__ __forceinline__ void run_block(const InvertedResidualArguments& a, uint4* shared) {
  using Weights = ExpandedGroupWeights<kChunks>;
  const BlockWork<kChunks, kStride> work(a, kRows * a.block.row_groups);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warps = static_cast<int>(blockDim.x) / 32;
  const auto strip = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  const int column_chunks = a.column_groups * a.column_tiles * 16;
  uint4* const project_weights = shared + a.block.strip_chunks;
  uint4* const results = project_weights + a.block.expanded_groups * column_chunks;
  const int items = work.expanded_groups * a.block.row_groups;
  int item = static_cast<int>(threadIdx.x) / 32;

  // No kernel writes weights. So they are loaded while the previous kernel still runs.
  const uint4* expand = a.weights.expand + work.first_group * Weights::kExpandChunks;
  const uint4* depthwise = a.weights.depthwise + work.first_group * Weights::kDepthwiseChunks * 4;
  load_chunks(a.weights.project + work.first_group * column_chunks, project_weights,
              work.expanded_groups * column_chunks);
  Weights weights;
  if (a.block.stage_weights != 0) {
    uint4* const staged = results + a.block.expanded_groups * work.pixel_tiles() * 32;
    uint4* const staged_depthwise = staged + a.block.expanded_groups * Weights::kExpandChunks;
    load_chunks(expand, staged, work.expanded_groups * Weights::kExpandChunks);
    load_chunks(depthwise, staged_depthwise, work.expanded_groups * Weights::kDepthwiseChunks * 4);
    expand = staged;
    depthwise = staged_depthwise;
  }
  const auto load_weights = [&](int i) {
    const int expanded_group = i / a.block.row_groups;
    weights.load(expand + expanded_group * Weights::kExpandChunks,
                 depthwise + expanded_group * Weights::kDepthwiseChunks * 4, lane);
  };
  if (a.block.stage_weights == 0 && item < items) load_weights(item);
  cuda::wait_for_previous_kernel();
  cuda::let_next_kernel_start();
  load_strip(a, work, strip);
  copies_commit();
  std::uint32_t limits[kStripInputs];
  find_limits(a, work.first_column, lane, limits);
  copies_wait<0>();
  __syncthreads();

  constexpr int kGroupTiles = kRows * pixel_tiles_of_row(kStride);
  bool loaded = a.block.stage_weights == 0;
  for (; item < items; item += warps) {
    if (!loaded) load_weights(item);
    loaded = false;
    const int expanded_group = item / a.block.row_groups;
    const int row_group = item % a.block.row_groups;
    const int row = kStride * kRows * row_group;
    expand_and_filter<kChunks, kStride, kRows>(
        weights, strip + row * kStripWidth * strip_pitch(kChunks), work.first_input_row() + row,
        a.input_height, limits, lane,
        results + (expanded_group * work.pixel_tiles() + row_group * kGroupTiles) * 32);
  }
  __syncthreads();
  if (gridDim.z > 1) cluster_arrive_relaxed();  // other blocks may now overwrite the strip

  project_columns<kChunks, kStride>(a, work, project_weights, results,
                                    reinterpret_cast<uint2*>(shared));
}

template <int kChunks, int kStride, int kRows>
__global__ void __launch_bounds__(most_threads(kChunks))
    inverted_residual_kernel(const __grid_constant__ InvertedResidualArguments a) {
#if __CUDA_ARCH__ >= 800  // the kernel is never launched on earlier chips
  extern __shared__ __align__(16) uint4 shared[];
  run_block<kChunks, kStride, kRows>(a, shared);
#endif
}

}  // namespace facepipe::detector::engine
