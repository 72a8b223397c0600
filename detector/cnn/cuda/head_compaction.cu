// Writes the candidates of all cells one behind the other, in raster order and without gaps.
#include "core/cuda/programmatic.cuh"
#include "detector/cnn/cuda/head_decode.cuh"
#include "detector/cnn/cuda/pyramid_head_kernels.h"

namespace facepipe::detector::engine {
namespace {

__device__ __forceinline__ int lane_id() { return static_cast<int>(threadIdx.x) % 32; }
__device__ __forceinline__ int warp_id() { return static_cast<int>(threadIdx.x) / 32; }

constexpr int kCompactionThreads = 256;  // each thread handles one word

__device__ __forceinline__ unsigned sum_of_warp(unsigned value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0U, value, step);
  return value;
}

/// Holds numbers of candidates, in shared memory.
struct BlockCounts {
  unsigned warps[kCompactionThreads / 32];
  unsigned before;  ///< number in all words before the block's words
};

/// Returns the number of candidates in the words of the block's earlier threads. Sets *all to the
/// number in the whole block. Prepares `shared` for counted_before(). All threads of the block must
/// call it.
__device__ __forceinline__ unsigned counted_in_block_before(BlockCounts& shared, std::uint32_t word,
                                                            unsigned* all) {
  const auto own = static_cast<unsigned>(__popc(word));
  unsigned through = own;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const unsigned other = __shfl_up_sync(~0U, through, step);
    if (lane_id() >= step) through += other;
  }
  if (lane_id() == 31) shared.warps[warp_id()] = through;
  if (threadIdx.x == 0) shared.before = 0;
  __syncthreads();
  unsigned before = 0;
  *all = 0;
  for (int i = 0; i < kCompactionThreads / 32; ++i) {
    if (i < warp_id()) before += shared.warps[i];
    *all += shared.warps[i];
  }
  return before + through - own;
}

/// Returns the number of candidates in all words before the block's words.
__device__ __forceinline__ unsigned counted_before(BlockCounts& shared, const std::uint32_t* words,
                                                   int count) {
  unsigned mine = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count / 4; i += kCompactionThreads) {
    const uint4 four = __ldg(reinterpret_cast<const uint4*>(words) + i);
    mine +=
        static_cast<unsigned>(__popc(four.x) + __popc(four.y) + __popc(four.z) + __popc(four.w));
  }
  mine = sum_of_warp(mine);
  if (lane_id() == 0 && mine != 0) atomicAdd(&shared.before, mine);
  __syncthreads();
  return shared.before;
}

template <class Cells>
__global__ void __launch_bounds__(kCompactionThreads)
    compaction_kernel(const __grid_constant__ PyramidHeadArguments a) {
  cuda::wait_for_previous_kernel();
  cuda::let_next_kernel_start();
  const int words_a_row = words_of_row(a.step.width);
  const int count = words_a_row * a.step.height;
  const int first = static_cast<int>(blockIdx.x) * kCompactionThreads;
  const int own = first + static_cast<int>(threadIdx.x);
  const std::uint32_t word = own < count ? a.words[own] : 0;
  unsigned all = 0;
  __shared__ BlockCounts shared;
  unsigned position = counted_in_block_before(shared, word, &all);
  const bool last = blockIdx.x + 1 == gridDim.x;
  if (all == 0 && !last) return;
  const unsigned before = counted_before(shared, a.words, first);
  if (last && threadIdx.x == 0) *a.head.to.count = before + all;
  position += before;
  for (unsigned marked = __ballot_sync(~0U, word != 0); marked != 0; marked &= marked - 1) {
    const int source = __ffs(static_cast<int>(marked)) - 1;
    const unsigned bits = __shfl_sync(~0U, word, source);
    const unsigned start = __shfl_sync(~0U, position, source);
    const int index = __shfl_sync(~0U, own, source);
    const unsigned bit = 1U << lane_id();
    const unsigned at = start + static_cast<unsigned>(__popc(bits & (bit - 1)));
    if ((bits & bit) == 0 || at >= a.head.to.capacity) continue;
    const int y = index / words_a_row;
    const int x = (index - y * words_a_row) * kHeadColumns + lane_id();
    const auto cell = static_cast<std::uint32_t>(y * a.step.width + x);
    write_candidate<Cells>(a.head, {a.head.levels[0], cell, 0}, at);
  }
}

}  // namespace

void launch_head_compaction(const PyramidHeadArguments& arguments, cuda::Overlap overlap,
                            cuda::StreamView stream) {
  const int words = words_of_row(arguments.step.width) * arguments.step.height;
  cuda::LaunchShape shape;
  shape.grid = static_cast<unsigned>((words + kCompactionThreads - 1) / kCompactionThreads);
  shape.block = kCompactionThreads;
  shape.overlap = overlap;
  cuda::launch(compaction_kernel<CenterfaceCells>, shape, stream, arguments);
}

}  // namespace facepipe::detector::engine
