// This is the kernel of the rules `greedy` and `fast`. It is launched cooperatively. It reads the
// number of candidates on the device, and this number decides how it works.
#include <algorithm>
#include <cstddef>

#include "core/cuda/check.h"
#include "core/error.h"
#include "nms/cuda/cooperative.h"
#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy/block_context.cuh"
#include "nms/cuda/greedy/decide_few.cuh"
#include "nms/cuda/greedy/fallback.cuh"
#include "nms/cuda/greedy/greedy.h"
#include "nms/cuda/greedy/partition.cuh"
#include "nms/cuda/greedy/propagate.cuh"
#include "nms/cuda/greedy/select_candidates.cuh"
#include "nms/cuda/greedy/suppression_matrix.cuh"
#include "nms/cuda/greedy/write_kept.cuh"
#include "nms/cuda/overlaps.cuh"

namespace facepipe::nms {
namespace {

/// Selects the block's rows and columns and computes its suppression matrix. If the matrix doesn't
/// fit in shared memory, requests the fallback and returns false. Ends with a barrier.
template <class Overlap, bool kFits>
__device__ __forceinline__ bool select_and_compare(const BlockContext<kFits>& block,
                                                   const CellGrid& grid, const Partition& partition,
                                                   SuppressionMatrix& matrix) {
  select_rows(block, grid, partition);
  select_others<Overlap>(block, grid, partition);
  const unsigned stride = (partition.rows() + 31) / 32 * 32;
  matrix = {block.columns, block.bits, partition.rows(), stride + block.shared.other_columns};
  // The memory of the counts by cell becomes BlockRanking::counts here.
  for (unsigned i = threadIdx.x; i <= stride; i += kThreads) block.own_ranking().counts[i] = 0;
  const GreedyLimits& limits = block.arguments.limits;
  const bool room = matrix.column_end <= limits.columns - 32 &&
                    stride * matrix.column_words() <= limits.bit_words;
  if (room)
    compute_matrix<Overlap>(block.columns, matrix.rows, stride, matrix.column_end,
                            block.shared.octets, block.arguments.threshold, block.bits);
  else if (threadIdx.x == 0)
    store_relaxed(&block.arguments.scratch.control->fallback, block.shared.tag);
  __syncthreads();
  return room;
}

/// Clears stale words after the first `published` words, which this launch writes (see Note
/// [Tags]), and a stale request of the fallback. One block calls it at its end, when no block can
/// request the fallback any more. Begins with a barrier.
__device__ __forceinline__ void clear_stale_words(const BlockContext<true>& block,
                                                  unsigned published) {
  __syncthreads();  // the tag has been set before this barrier
  const PublishedStates states = block.states();
  states.clear_stale(published, block.arguments.view.capacity);
  std::uint32_t* const fallback = &block.arguments.scratch.control->fallback;
  if (threadIdx.x == 0 && states.tag % 4096 == 0 && load_relaxed(fallback) != states.tag)
    store_relaxed(fallback, ~states.tag);
}

/// The smallest partition size. Smaller partitions would be compared sooner, but would depend on
/// more candidates of other blocks.
constexpr unsigned kLeastPartition = 16;
__device__ __forceinline__ unsigned partition_size_of(unsigned n) {
  return max((n + gridDim.x - 1) / gridDim.x, kLeastPartition);
}

/// Blocks that own no candidate call it. It waits until block 0 has found the partition. Returns
/// true if the partition is overfull, so that the fallback needs all blocks.
__device__ __forceinline__ bool wait_for_partition(const BlockContext<true>& block) {
  __syncthreads();  // the tag has been set before this barrier
  if (threadIdx.x == 0) {
    std::uint32_t outcome = 0;
    for (SpinLimit spins; outcome >> 1 != block.shared.tag; spins.count()) {
      pause();
      outcome = load_relaxed(&block.arguments.scratch.control->partition);
    }
    block.shared.partition.overfull = outcome & 1;
  }
  __syncthreads();
  return block.shared.partition.overfull != 0;
}

/// Partitions the candidates, decides which of the block's own candidates are kept, and writes its
/// part of the output. Returns false if nothing was written; then all blocks must call
/// decide_by_fallback().
template <class Overlap, bool kAnyStronger, bool kFits>
__device__ __forceinline__ bool decide_partitioned(const BlockContext<kFits>& block,
                                                   float4 first_box, float first_score) {
  const unsigned partition_size = partition_size_of(block.n);
  const unsigned begin = blockIdx.x * partition_size;
  float4 range;
  if constexpr (kFits) {
    // If blocks that own no candidate loaded the candidates, too, they would slow down the other
    // blocks.
    if (begin >= block.n && blockIdx.x != 0) return !wait_for_partition(block);
    range = load_candidates(block, first_box, first_score);
  } else {
    range = sample_range(block);
  }
  const CellGrid grid = make_grid(range, block.shared.ranges);
  count_cells(block, grid);
  const Partition partition = find_partition(block.counts, block.n, begin, partition_size,
                                             block.max_rows(), block.shared.partition);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    store_relaxed(&block.arguments.scratch.control->partition,
                  (block.shared.tag << 1) | (partition.overfull ? 1U : 0U));
  if (partition.overfull) return false;
  if (partition.rows() == 0 && kFits && blockIdx.x != 0) return true;
  SuppressionMatrix matrix{block.columns, block.bits, 0, 0};
  if (!select_and_compare<Overlap>(block, grid, partition, matrix)) {
    arrive(block);
    return false;
  }
  return decide_and_write<kAnyStronger>(block, matrix);
}

/// Decides candidates that don't all fit in shared memory.
template <class Overlap, bool kAnyStronger>
__device__ __noinline__ bool decide_many_partitioned(const GreedyArguments& given, unsigned n) {
  // This is a copy in registers, because each access through the reference would be a load.
  const GreedyArguments arguments = given;
  return decide_partitioned<Overlap, kAnyStronger>(block_context<false>(arguments, n), empty_box(),
                                                   0);
}

template <class Overlap, bool kAnyStronger>
__global__ void __launch_bounds__(kThreads, 1)
    greedy_kernel(const __grid_constant__ GreedyArguments arguments) {
  const CandidateView& view = arguments.view;
  // The thread's first box and score are loaded at the same time as the count, before it is known
  // whether this candidate exists. This is valid, because the arrays are as long as the capacity.
  float4 first_box = empty_box();
  float first_score = 0;
  if (threadIdx.x < view.capacity) {
    first_box = __ldg(view.boxes + threadIdx.x);
    first_score = __ldg(view.scores + threadIdx.x);
  }
  constexpr unsigned kCurveWords = kGridCells / 2 / kThreads;  // a word has two positions
  unsigned curve[kCurveWords];
#pragma unroll
  for (unsigned q = 0; q < kCurveWords; ++q)
    curve[q] =
        __ldg(reinterpret_cast<const unsigned*>(&kHilbertCurve) + q * kThreads + threadIdx.x);
  const std::uint32_t count = __ldg(view.count);
  const BlockContext<true> block = block_context<true>(arguments, min(count, view.capacity));
  if (threadIdx.x == kThreads - 1) {
    // This is the tag of the launch. It is first read after some barriers, which hide the latency.
    const std::uint32_t launch_count =
        atomicAdd(&arguments.scratch.control->launches, block.phases().increment());
    block.shared.tag = launch_count >> arguments.phase_bits;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *arguments.beyond_capacity = count - block.n;
  if (block.n <= kMostForOneBlock<Overlap>) {
    if (blockIdx.x == 0)
      decide_few<Overlap, kAnyStronger>(arguments, *reinterpret_cast<FewMemory*>(block.counts),
                                        block.n, first_box, first_score);
    if (blockIdx.x == gridDim.x - 1) clear_stale_words(block, 0);
    return;
  }
#pragma unroll
  for (unsigned q = 0; q < kCurveWords; ++q) {
    reinterpret_cast<uint2*>(block.counts)[q * kThreads + threadIdx.x] = make_uint2(0, 0);
    reinterpret_cast<unsigned*>(&block.shared.curve)[q * kThreads + threadIdx.x] = curve[q];
  }
  if (threadIdx.x == 0) {
    block.shared.partition.overfull = 0;
    block.shared.own_kept = 0;
  }
  if (threadIdx.x < kMaxRowWords)
    block.shared.kept[threadIdx.x] = block.shared.removed[threadIdx.x] = 0;
  const bool done = fits(arguments, block.n)
                        ? decide_partitioned<Overlap, kAnyStronger>(block, first_box, first_score)
                        : decide_many_partitioned<Overlap, kAnyStronger>(arguments, block.n);
  if (!done) decide_by_fallback<Overlap, kAnyStronger>(arguments, block.n);
  if (blockIdx.x == gridDim.x - 1) clear_stale_words(block, block.n);
}

using Kernel = void (*)(GreedyArguments);

Kernel kernel_for(const NmsOptions& options) {
  return with_overlap(options.overlap, [&](auto overlap) -> Kernel {
    using Overlap = decltype(overlap);
    return options.rule == NmsRule::fast ? greedy_kernel<Overlap, true>
                                         : greedy_kernel<Overlap, false>;
  });
}

}  // namespace

GreedyPlan plan_greedy(const NmsOptions& options, std::uint32_t largest_columns,
                       std::uint32_t multiprocessors) {
  const Kernel kernel = kernel_for(options);
  cudaFuncAttributes attributes{};
  FACEPIPE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  const auto shared =
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) -
      attributes.sharedSizeBytes;
  GreedyPlan plan;
  // At most half of the memory is for columns. The rest is for the bits of the matrix.
  plan.limits.columns = std::min({kMaxColumns, largest_columns,
                                  static_cast<std::uint32_t>(shared / 2 / kColumnBytes) / 32 * 32});
  const std::size_t before_bits = kCountsBytes + plan.limits.columns * kColumnBytes;
  plan.limits.bit_words = static_cast<std::uint32_t>((shared - before_bits) / 16 * 4);
  plan.shared_bytes = static_cast<std::uint32_t>(before_bits + plan.limits.bit_words * 4);
  FACEPIPE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(plan.shared_bytes)));
  int ctas_each = 0;
  FACEPIPE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas_each, kernel, kThreads,
                                                                    plan.shared_bytes));
  if (ctas_each == 0)
    throw Error(ErrorKind::internal, "NMS: the greedy kernel does not fit the device");
  plan.blocks = multiprocessors;
  plan.phase_bits = 8;  // tags then have 24 bits, see Note [Tags]
  while ((1U << plan.phase_bits) < plan.blocks) ++plan.phase_bits;
  return plan;
}

void launch_greedy(const NmsOptions& options, const GreedyPlan& plan,
                   const GreedyArguments& arguments, cudaStream_t stream) {
  launch_cooperatively(kernel_for(options), plan.blocks, kThreads, plan.shared_bytes, stream,
                       arguments);
}

}  // namespace facepipe::nms
