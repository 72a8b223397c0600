#include "experiments/programs/nms_papers/printed_kernels.h"

#include <algorithm>
#include <cstddef>

#include "core/cuda/check.h"

namespace facepipe::nms_papers {
namespace {

/// Algorithm 1. The printed kernel doesn't check i and j. The check is needed if the block's side
/// doesn't divide the number of rows.
template <MapShape kShape>
__global__ void printed_map_kernel(const PrintedMatrix matrix, std::uint32_t side) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned i = kShape == MapShape::printed ? x : y;
  const unsigned j = kShape == MapShape::printed ? y : x;
  if (i >= side || j >= side) return;
  const PrintedDetection* const d = matrix.detections;
  if (printed_writes(d[i], d[j]))
    matrix.cells[std::size_t{i} * matrix.d_max + j] = printed_cell(d[i], d[j], matrix.threshold);
}

/// Algorithm 2. All threads of a block write the same value to V[i] and read it again.
__global__ void __launch_bounds__(1024)
    printed_reduce_kernel(const PrintedMatrix matrix, std::uint32_t iterations) {
  const unsigned i = blockIdx.x;
  std::size_t j = std::size_t{i} * matrix.d_max + threadIdx.x;
  std::uint8_t* const v = matrix.survives;
  v[i] = static_cast<std::uint8_t>(__syncthreads_and(matrix.cells[j]));
  for (unsigned turn = 1; turn < iterations; ++turn) {
    j += blockDim.x;
    v[i] = static_cast<std::uint8_t>(__syncthreads_and(v[i] != 0 && matrix.cells[j] != 0));
  }
}

/// Algorithm 2 with V[i] in a register. `rows` is also the number of columns.
__global__ void __launch_bounds__(1024)
    early_reduce_kernel(const PrintedMatrix matrix, std::uint32_t rows) {
  for (unsigned i = blockIdx.x; i < rows; i += gridDim.x) {
    const std::uint8_t* const row = matrix.cells + std::size_t{i} * matrix.d_max;
    int survives = 1;
    for (unsigned j = threadIdx.x; j - threadIdx.x < rows && survives != 0; j += blockDim.x)
      survives = __syncthreads_and(j >= rows || row[j] != 0);
    if (threadIdx.x == 0) matrix.survives[i] = static_cast<std::uint8_t>(survives);
  }
}

}  // namespace

void launch_printed_map(const PrintedMatrix& matrix, std::uint32_t side, std::uint32_t block_side,
                        MapShape shape, cudaStream_t stream) {
  if (side == 0) return;  // an empty grid isn't allowed
  const unsigned blocks = (side + block_side - 1) / block_side;
  const dim3 grid(blocks, blocks);
  const dim3 block(block_side, block_side);
  if (shape == MapShape::printed)
    printed_map_kernel<MapShape::printed><<<grid, block, 0, stream>>>(matrix, side);
  else
    printed_map_kernel<MapShape::coalesced><<<grid, block, 0, stream>>>(matrix, side);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_printed_reduce(const PrintedMatrix& matrix, std::uint32_t rows, std::uint32_t k,
                           ReduceStep step, std::uint32_t multiprocessors, cudaStream_t stream) {
  if (rows == 0) return;
  const unsigned threads = matrix.d_max / k;
  const unsigned iterations =
      step == ReduceStep::printed ? k : (std::min(rows, matrix.d_max) - 1) / threads + 1;
  const unsigned blocks = step == ReduceStep::capped ? std::min(rows, 16 * multiprocessors) : rows;
  if (step == ReduceStep::printed || step == ReduceStep::up_to_n)
    printed_reduce_kernel<<<blocks, threads, 0, stream>>>(matrix, iterations);
  else
    early_reduce_kernel<<<blocks, threads, 0, stream>>>(matrix, rows);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::nms_papers
