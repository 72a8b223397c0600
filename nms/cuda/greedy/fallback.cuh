// This is the fallback of the greedy kernel. All thread blocks take it if too many boxes overlap
// for the partition: a block would own too many candidates, or its matrix wouldn't fit in shared
// memory.
#pragma once

#include <cstdint>

#include "nms/cuda/greedy/block_context.cuh"
#include "nms/cuda/greedy/ranked_batches.cuh"
#include "nms/cuda/greedy/write_kept.cuh"
#include "nms/cuda/ranking.cuh"

namespace facepipe::nms {

/// Returns whether any of the n candidates outranks and suppresses candidate `index`. All lanes of
/// a warp must call it.
template <class Overlap>
__device__ __forceinline__ bool suppressed_by_any(const BlockContext<false>& block,
                                                  unsigned index) {
  const CandidateView& view = block.arguments.view;
  const float4 box = __ldg(view.boxes + index);
  const float box_area = area(as_box(box));
  const std::uint64_t key = key_at(view, index);
  for (unsigned first = 0; first < block.n; first += 32) {
    const unsigned i = first + lane_id();
    bool suppressed = false;
    if (i < block.n) {
      const float4 other = __ldg(view.boxes + i);
      suppressed = Overlap::suppresses(as_box(other), area(as_box(other)), as_box(box), box_area,
                                       block.arguments.threshold) &&
                   key_at(view, i) > key;
    }
    if (__any_sync(kAllLanes, suppressed)) return true;
  }
  return false;
}

/// This is the fallback of the rule `fast`. It compares every candidate with all others. Each block
/// decides a part of the candidates and writes the kept candidates of this part.
template <class Overlap>
__device__ __forceinline__ void compare_all_pairs(const BlockContext<false>& block) {
  const unsigned part = (block.n + gridDim.x - 1) / gridDim.x;
  const unsigned begin = min(block.n, blockIdx.x * part);
  const unsigned end = min(block.n, begin + part);
  for (unsigned i = begin + warp_id(); i < end; i += kWarps) {
    const bool survives =
        is_valid_key(key_at(block.arguments.view, i)) && !suppressed_by_any<Overlap>(block, i);
    if (lane_id() == 0) block.states().publish(i, survives ? kKept : kRemoved);
  }
  grid_barrier(&block.arguments.scratch.control->barrier, block.phases());
  for (unsigned at = begin; at == begin || at < end; at += kRankedAtOnce) {
    __syncthreads();
    BlockRanking own = block.own_ranking();
    if (threadIdx.x == 0) block.shared.own_kept = 0;
    for (unsigned i = threadIdx.x; i <= kRankedAtOnce; i += kThreads) own.counts[i] = 0;
    __syncthreads();
    const unsigned i = at + threadIdx.x;
    if (i < min(end, at + kRankedAtOnce) && block.states().read(i) == kKept)
      own.spare[atomicAdd(&block.shared.own_kept, 1U)] = key_at(block.arguments.view, i);
    __syncthreads();
    own.size = block.shared.own_kept;
    sort_own(own);
    count_all_kept(block, own);
    write_kept(block, own);
  }
}

/// Decides all candidates and writes the whole output. All blocks must call it, or none.
template <class Overlap, bool kAnyStronger>
__device__ __noinline__ void decide_by_fallback(const GreedyArguments& given, unsigned n) {
  // We copy the arguments to registers, because each access through the reference would be a load.
  const GreedyArguments arguments = given;
  const BlockContext<false> block = block_context<false>(arguments, n);
  __syncthreads();
  if constexpr (kAnyStronger) {
    compare_all_pairs<Overlap>(block);
  } else {
    const GreedyScratch& scratch = block.arguments.scratch;
    const unsigned words = (block.arguments.view.capacity + 31) / 32;
    BatchMemory memory{block.columns,
                       block.bits,
                       block.shared.octets,
                       block.own_ranking(),
                       block.shared.partition.warp_sums,
                       block.shared.kept,
                       block.shared.removed};
    const BatchScratch batch_scratch{scratch.ranked_keys,
                                     scratch.ranked_boxes,
                                     {scratch.remaining, scratch.remaining + words},
                                     &scratch.control->barrier,
                                     block.phases()};
    decide_ranked_batches<Overlap>(block.arguments.view, block.n, block.arguments.threshold, memory,
                                   batch_scratch, block.arguments.indices, block.arguments.kept);
  }
}

}  // namespace facepipe::nms
