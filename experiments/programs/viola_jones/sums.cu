#include <cub/block/block_scan.cuh>

#include "core/cuda/check.h"
#include "experiments/programs/viola_jones/kernels.h"

namespace facepipe::viola_jones {
namespace {

constexpr int kRowThreads = 256;
constexpr dim3 kStrip(32, 16);  // 32 columns, and 16 parts of their rows

/// Each block computes the prefix sums of a row.
__global__ void __launch_bounds__(kRowThreads)
    row_sums_kernel(const std::uint8_t* grey, int width, std::uint32_t* sums,
                    std::uint64_t* squares) {
  using SumScan = cub::BlockScan<std::uint32_t, kRowThreads>;
  using SquareScan = cub::BlockScan<std::uint64_t, kRowThreads>;
  __shared__ typename SumScan::TempStorage sum_memory;
  __shared__ typename SquareScan::TempStorage square_memory;
  const std::size_t row = blockIdx.x;
  const std::size_t corner = (row + 1) * (width + 1);
  std::uint32_t sum_before = 0;
  std::uint64_t squares_before = 0;
  if (threadIdx.x == 0) sums[corner] = squares[corner] = 0;
  for (int first = 0; first < width; first += kRowThreads) {
    const int x = first + threadIdx.x;
    const std::uint32_t level = x < width ? grey[row * width + x] : 0;
    std::uint32_t sum = level;
    std::uint32_t all = 0;
    std::uint64_t square = std::uint64_t{level} * level;
    std::uint64_t all_squares = 0;
    SumScan(sum_memory).InclusiveSum(sum, sum, all);
    SquareScan(square_memory).InclusiveSum(square, square, all_squares);
    if (x < width) {
      sums[corner + 1 + x] = sum_before + sum;
      squares[corner + 1 + x] = squares_before + square;
    }
    sum_before += all;
    squares_before += all_squares;
    __syncthreads();  // the next scans reuse the memory of these scans
  }
}

/// Adds to each sum the sums of all rows above. A block has 32 columns. First, each thread of a
/// column sums a part of the rows.
template <class T>
__global__ void __launch_bounds__(512) column_sums_kernel(T* sums, int stride, int height) {
  __shared__ T of_parts[kStrip.y][kStrip.x];
  const int column = kStrip.x * blockIdx.x + threadIdx.x;
  const int rows = (height + kStrip.y - 1) / kStrip.y;
  const int first = 1 + threadIdx.y * rows;
  const int end = min(first + rows, height + 1);
  const auto at = [&](int row) -> T& {
    return sums[static_cast<std::size_t>(row) * stride + column];
  };
  T sum = 0;
  if (column < stride)
    for (int row = first; row < end; ++row) sum += at(row);
  of_parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (column >= stride) return;
  sum = 0;
  for (unsigned part = 0; part < threadIdx.y; ++part) sum += of_parts[part][threadIdx.x];
  if (threadIdx.y == 0) at(0) = 0;
  for (int row = first; row < end; ++row) at(row) = sum += at(row);
}

__global__ void decimation_kernel(const DeviceSums from, int factor, Size corners,
                                  std::uint32_t* sums, std::uint64_t* squares) {
  const int x = blockDim.x * blockIdx.x + threadIdx.x;
  const int y = blockIdx.y;
  if (x >= corners.width) return;
  const std::size_t there = static_cast<std::size_t>(y * factor) * from.stride + x * factor;
  const std::size_t here = static_cast<std::size_t>(y) * corners.width + x;
  sums[here] = from.sums[there];
  squares[here] = from.squares[there];
}

}  // namespace

void launch_sums(const std::uint8_t* grey, Size picture, std::uint32_t* sums,
                 std::uint64_t* squares, cuda::StreamView stream) {
  const int stride = picture.width + 1;
  row_sums_kernel<<<picture.height, kRowThreads, 0, stream.get()>>>(grey, picture.width, sums,
                                                                    squares);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
  const unsigned blocks = (stride + kStrip.x - 1) / kStrip.x;
  column_sums_kernel<<<blocks, kStrip, 0, stream.get()>>>(sums, stride, picture.height);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
  column_sums_kernel<<<blocks, kStrip, 0, stream.get()>>>(squares, stride, picture.height);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_decimation(const DeviceSums& from, std::int32_t factor, Size corners,
                       std::uint32_t* sums, std::uint64_t* squares, cuda::StreamView stream) {
  const dim3 grid((corners.width + kRowThreads - 1) / kRowThreads, corners.height);
  decimation_kernel<<<grid, kRowThreads, 0, stream.get()>>>(from, factor, corners, sums, squares);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::viola_jones
