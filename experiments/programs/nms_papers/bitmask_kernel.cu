#include "experiments/programs/nms_papers/bitmask_kernel.h"

#include <cstddef>

#include "core/cuda/check.h"
#include "nms/predicate.h"

namespace facepipe::nms_papers {
namespace {

/// Bit c of mask[row][word] says that column 64 * word + c overlaps the row by more than the
/// threshold.
__global__ void __launch_bounds__(kBitmaskTile) bitmask_kernel(const BitmaskArguments arguments) {
  const unsigned n = arguments.n;
  const unsigned first_row = kBitmaskTile * blockIdx.y;
  const unsigned first_column = kBitmaskTile * blockIdx.x;
  const unsigned columns = min(n - first_column, kBitmaskTile);
  __shared__ RankedBox tile[kBitmaskTile];
  if (threadIdx.x < columns) tile[threadIdx.x] = arguments.ranked[first_column + threadIdx.x];
  __syncthreads();
  const unsigned row = first_row + threadIdx.x;
  if (row >= n) return;
  const Box box = arguments.ranked[row].box;
  const float area = nms::area(box);
  std::uint64_t word = 0;
  for (unsigned c = 0; c < columns; ++c) {
    const Box& other = tile[c].box;
    if (nms::iou_exceeds(nms::intersection(box, other), area, nms::area(other),
                         arguments.threshold))
      word |= std::uint64_t{1} << c;
  }
  arguments.mask[std::size_t{row} * gridDim.x + blockIdx.x] = word;
}

}  // namespace

void launch_bitmask(const BitmaskArguments& arguments, cudaStream_t stream) {
  const auto tiles = static_cast<unsigned>(words_of(arguments.n));
  if (tiles == 0) return;  // an empty grid isn't allowed
  bitmask_kernel<<<dim3(tiles, tiles), kBitmaskTile, 0, stream>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::nms_papers
