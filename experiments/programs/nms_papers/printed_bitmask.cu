#include "experiments/programs/nms_papers/printed_bitmask.h"

#include <cstddef>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/check.h"

namespace facepipe::nms_papers {
namespace {

/// The compiler may contract (multiply and add with one rounding), as in the original.
__device__ float printed_iou(const Box& a, const Box& b) {
  const float left = max(a.x1, b.x1);
  const float right = min(a.x2, b.x2);
  const float top = max(a.y1, b.y1);
  const float bottom = min(a.y2, b.y2);
  const float width = max(right - left + 1, 0.0F);
  const float height = max(bottom - top + 1, 0.0F);
  const float common = width * height;
  const float area_a = (a.x2 - a.x1 + 1) * (a.y2 - a.y1 + 1);
  const float area_b = (b.x2 - b.x1 + 1) * (b.y2 - b.y1 + 1);
  return common / (area_a + area_b - common);
}

__global__ void printed_bitmask_kernel(const BitmaskArguments arguments) {
  const unsigned first_row = kBitmaskTile * blockIdx.y;
  const unsigned first_column = kBitmaskTile * blockIdx.x;
  const unsigned rows = min(arguments.n - first_row, kBitmaskTile);
  const unsigned columns = min(arguments.n - first_column, kBitmaskTile);
  __shared__ RankedBox tile[kBitmaskTile];
  if (threadIdx.x < columns) tile[threadIdx.x] = arguments.ranked[first_column + threadIdx.x];
  __syncthreads();
  if (threadIdx.x >= rows) return;
  const unsigned row = first_row + threadIdx.x;
  std::uint64_t word = 0;
  for (unsigned c = 0; c < columns; ++c)
    if (printed_iou(arguments.ranked[row].box, tile[c].box) > arguments.threshold)
      word |= std::uint64_t{1} << c;
  arguments.mask[std::size_t{row} * gridDim.x + blockIdx.x] = word;
}

/// The device memory of one call.
struct CallMemory {
  explicit CallMemory(std::size_t count) : ranked(count), mask(count * words_of(count)) {}
  cuda::DeviceBuffer<RankedBox> ranked;
  cuda::DeviceBuffer<std::uint64_t> mask;
};

/// Returns the indices of the kept boxes among `count` ranked boxes, from the mask on the host.
std::vector<std::int32_t> reduced(const std::vector<std::uint64_t>& mask, std::size_t count) {
  const std::size_t words = words_of(count);
  std::vector<std::uint64_t> removed(words);
  std::vector<std::int32_t> kept;
  kept.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if ((removed[i / kBitmaskTile] >> i % kBitmaskTile & 1) != 0) continue;
    kept.push_back(static_cast<std::int32_t>(i));
    for (std::size_t word = i / kBitmaskTile; word < words; ++word)
      removed[word] |= mask[i * words + word];
  }
  return kept;
}

}  // namespace

void launch_printed_bitmask(const BitmaskArguments& arguments, cudaStream_t stream) {
  const auto tiles = static_cast<unsigned>(words_of(arguments.n));
  if (tiles == 0) return;  // an empty grid isn't allowed
  printed_bitmask_kernel<<<dim3(tiles, tiles), kBitmaskTile, 0, stream>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void allocate_for_printed_bitmask(std::size_t count) { const CallMemory memory(count); }

void printed_bitmask_nms(const PrintedBitmaskKept& kept, std::span<const RankedBox> ranked,
                         float threshold) {
  const CallMemory memory(ranked.size());
  FACEPIPE_CUDA_CHECK(
      cudaMemcpy(memory.ranked.data(), ranked.data(), ranked.size_bytes(), cudaMemcpyHostToDevice));
  launch_printed_bitmask({static_cast<std::uint32_t>(ranked.size()), threshold,
                          memory.ranked.data(), memory.mask.data()},
                         nullptr);
  std::vector<std::uint64_t> mask(memory.mask.size());
  FACEPIPE_CUDA_CHECK(cudaMemcpy(mask.data(), memory.mask.data(),
                                 mask.size() * sizeof(std::uint64_t), cudaMemcpyDeviceToHost));
  const std::vector<std::int32_t> indices = reduced(mask, ranked.size());
  const auto count = static_cast<std::int32_t>(indices.size());
  FACEPIPE_CUDA_CHECK(cudaMemcpy(kept.indices, indices.data(),
                                 indices.size() * sizeof(std::int32_t), cudaMemcpyHostToDevice));
  FACEPIPE_CUDA_CHECK(cudaMemcpy(kept.count, &count, sizeof count, cudaMemcpyHostToDevice));
}

}  // namespace facepipe::nms_papers
