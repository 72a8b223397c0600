// What all CTAs of the greedy kernel do where too many boxes lie in one place for rounds to pay.
#pragma once

#include <cstdint>

#include "nms/cuda/greedy/cta.cuh"
#include "nms/cuda/greedy/place.cuh"
#include "nms/cuda/greedy/sweep.cuh"
#include "nms/cuda/ranking.cuh"

namespace facepipe::nms {

/// Whether a candidate falls to any that outranks and suppresses it, asked of all n by a warp.
template <class Overlap>
__device__ __forceinline__ bool falls_to_any(const Cta<false>& cta, unsigned index) {
  const View& view = cta.arguments.view;
  const float4 box = __ldg(view.boxes + index);
  const float box_area = area(as_box(box));
  const std::uint64_t key = key_at(view, index);
  const std::uint32_t group = group_of(view, index);
  for (unsigned first = 0; first < cta.n; first += 32) {
    const unsigned i = first + lane_id();
    bool falls = false;
    if (i < cta.n) {
      const float4 other = __ldg(view.boxes + i);
      falls = Overlap::suppresses(as_box(other), area(as_box(other)), as_box(box), box_area,
                                  cta.arguments.threshold) &&
              key_at(view, i) > key && group_of(view, i) == group;
    }
    if (__any_sync(kAllLanes, falls)) return true;
  }
  return false;
}

/// The rule fast where boxes crowd: every candidate against all, each CTA its part.
template <class Overlap>
__device__ __forceinline__ void compare_every(const Cta<false>& cta) {
  const unsigned part = (cta.n + gridDim.x - 1) / gridDim.x;
  const unsigned begin = min(cta.n, blockIdx.x * part);
  const unsigned end = min(cta.n, begin + part);
  for (unsigned i = begin + warp_id(); i < end; i += kWarps) {
    const bool stands =
        is_valid_key(key_at(cta.arguments.view, i)) && !falls_to_any<Overlap>(cta, i);
    if (lane_id() == 0) cta.states().publish(i, stands ? kKept : kRemoved);
  }
  grid_barrier(&cta.arguments.scratch.control->barrier, cta.meeting());
  for (unsigned at = begin; at == begin || at < end; at += kRankedAtOnce) {
    __syncthreads();
    OwnOrder own = cta.own_order();
    if (threadIdx.x == 0) cta.shared.own = 0;
    for (unsigned i = threadIdx.x; i <= kRankedAtOnce; i += kThreads) own.counts[i] = 0;
    __syncthreads();
    const unsigned i = at + threadIdx.x;
    if (i < min(end, at + kRankedAtOnce) && cta.states().read(i) == kKept)
      own.spare[atomicAdd(&cta.shared.own, 1U)] = key_at(cta.arguments.view, i);
    __syncthreads();
    own.size = cta.shared.own;
    order_own(own);
    count_all(cta, own);
    place_all(cta, own);
  }
}

/// What all CTAs do where the rounds don't pay: too many boxes in one place.
template <class Overlap, bool kAnyStronger>
__device__ __noinline__ void decide_crowd(const GreedyArguments& given, unsigned n) {
  const GreedyArguments arguments =
      given;  // in registers: each look through the reference is a load
  const Cta<false> cta = cta_of<false>(arguments, n);
  __syncthreads();
  if constexpr (kAnyStronger) {
    compare_every<Overlap>(cta);
  } else {
    const GreedyScratch& scratch = cta.arguments.scratch;
    const unsigned words = (cta.arguments.view.capacity + 31) / 32;
    SweepMemory memory{cta.columns,
                       cta.bits,
                       cta.shared.octets,
                       cta.own_order(),
                       cta.shared.share.warp_sums,
                       cta.shared.kept,
                       cta.shared.removed};
    const SweepScratch sweep_scratch{scratch.sorted_keys,
                                     scratch.sorted_boxes,
                                     {scratch.alive, scratch.alive + words},
                                     &scratch.control->barrier,
                                     cta.meeting()};
    sweep<Overlap>(cta.arguments.view, cta.n, cta.arguments.threshold, memory, sweep_scratch,
                   cta.arguments.indices, cta.arguments.kept);
  }
}

}  // namespace facepipe::nms
