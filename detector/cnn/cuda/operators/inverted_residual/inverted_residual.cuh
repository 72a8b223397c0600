// The kernel of inverted_residual.h.
#pragma once

#include "core/cuda/programmatic.cuh"
#include "detector/cnn/cuda/operators/inverted_residual/expand.cuh"
#include "detector/cnn/cuda/operators/inverted_residual/project.cuh"

namespace facepipe::engine {

constexpr int most_threads(int eighths) { return eighths <= 4 ? 512 : 384; }

/// Both phases of a block. `shared` holds, in this order, the strip, or later what other blocks
/// send; the projection's weights; results of the first phase; and that phase's weights, where
/// they are staged.
template <int kEighths, int kStride, int kRows>
__device__ __forceinline__ void run_block(const InvertedResidualArguments& a, uint4* shared) {
  using Weights = ChunkWeights<kEighths>;
  const BlockPlace<kEighths, kStride> place(a, kRows * a.row_groups);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warps = static_cast<int>(blockDim.x) / 32;
  const auto strip = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  const int column_blocks = a.column_groups * a.column_tiles * 16;
  uint4* const project_weights = shared + a.strip_blocks;
  uint4* const results = project_weights + a.block_chunks * column_blocks;
  const int items = place.chunks * a.row_groups;
  int item = static_cast<int>(threadIdx.x) / 32;

  // Weights are nobody's output, so that they come while the kernel before still runs. Those of the
  // first phase go to shared memory where a warp has more than one piece of work.
  const uint4* expand = a.expand + place.first_chunk * Weights::kExpandBlocks;
  const uint4* depthwise = a.depthwise + place.first_chunk * Weights::kDepthwiseBlocks * 4;
  load_blocks(a.project + place.first_chunk * column_blocks, project_weights,
              place.chunks * column_blocks);
  Weights weights;
  if (a.stage_weights != 0) {
    uint4* const staged = results + a.block_chunks * place.pixel_tiles() * 32;
    uint4* const staged_depthwise = staged + a.block_chunks * Weights::kExpandBlocks;
    load_blocks(expand, staged, place.chunks * Weights::kExpandBlocks);
    load_blocks(depthwise, staged_depthwise, place.chunks * Weights::kDepthwiseBlocks * 4);
    expand = staged;
    depthwise = staged_depthwise;
  }
  const auto load_weights = [&](int i) {
    const int chunk = i / a.row_groups;
    weights.load(expand + chunk * Weights::kExpandBlocks,
                 depthwise + chunk * Weights::kDepthwiseBlocks * 4, lane);
  };
  if (a.stage_weights == 0 && item < items) load_weights(item);
  cuda::wait_for_previous_kernel();
  cuda::let_next_kernel_start();
  load_strip(a, place, strip);
  copies_commit();
  std::uint32_t limits[kStripInputs];
  find_limits(a, place.first_column, lane, limits);
  copies_wait<0>();
  __syncthreads();

  constexpr int kGroupTiles = kRows * pixel_tiles_of_row(kStride);
  bool loaded = a.stage_weights == 0;
  for (; item < items; item += warps) {
    if (!loaded) load_weights(item);
    loaded = false;
    const int chunk = item / a.row_groups;
    const int group = item % a.row_groups;
    const int row = kStride * kRows * group;
    expand_and_filter<kEighths, kStride, kRows>(
        weights, strip + row * kStripWidth * strip_pitch(kEighths), place.first_input_row() + row,
        a.input_height, limits, lane,
        results + (chunk * place.pixel_tiles() + group * kGroupTiles) * 32);
  }
  __syncthreads();
  if (gridDim.z > 1) cluster_arrive_relaxed();  // the strip may be overwritten

  project_columns<kEighths, kStride>(a, place, project_weights, results,
                                     reinterpret_cast<uint2*>(shared));
}

template <int kEighths, int kStride, int kRows>
__global__ void __launch_bounds__(most_threads(kEighths))
    inverted_residual_kernel(const __grid_constant__ InvertedResidualArguments a) {
#if __CUDA_ARCH__ >= 800  // earlier chips never launch it
  extern __shared__ __align__(16) uint4 shared[];
  run_block<kEighths, kStride, kRows>(a, shared);
#endif
}

}  // namespace facepipe::engine
