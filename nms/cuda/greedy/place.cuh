// Deciding a CTA's rows, and writing the kept ones to their places among all.
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy/board.cuh"
#include "nms/cuda/greedy/cta.cuh"
#include "nms/cuda/greedy/rounds.cuh"
#include "nms/cuda/ranking.cuh"

namespace facepipe::nms {

/// Decides a group of rows and adds what is kept to the CTA's own. False if some CTA gave up.
template <bool kAnyStronger, bool kFits>
__device__ __forceinline__ bool decide_rows(const Cta<kFits>& cta, const Problem& problem,
                                            unsigned number) {
  const GridBoard board{cta.columns,
                        problem.groups(),
                        {cta.shared.kept, cta.shared.removed},
                        cta.states(),
                        kFits ? nullptr : &cta.arguments.scratch.control->bail};
  Group group;
  if constexpr (kAnyStronger)
    group = decide_by_any(problem, number, board);
  else
    group = decide_group(problem, number, board);
  publish_invalid(problem, group, board.states);
  const OwnOrder own = cta.own_order();
  const bool kept = group.mine(group.kept);
  const auto count = static_cast<unsigned>(__popc(group.kept));
  if (problem.groups() == 1) {
    order_warp(own, group.key, group.kept);
    if (lane_id() == 0) cta.shared.own = count;
  } else {
    unsigned first = 0;
    if (lane_id() == 0) first = atomicAdd(&cta.shared.own, count);
    first = __shfl_sync(kAllLanes, first, 0);
    if (kept)
      own.spare[first + static_cast<unsigned>(__popc(group.kept & lanes_below()))] = group.key;
  }
  return group.undecided == 0;
}

/// Tells that this CTA has decided what it owns, or given up.
template <bool kFits>
__device__ __forceinline__ void arrive(const Cta<kFits>& cta) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  std::uint32_t* const arrivals = &cta.arguments.scratch.control->arrivals;
  cta.shared.arrived = shared_add_release(arrivals, cta.meeting().weight()) >> cta.meeting().bits;
}

/// Waits until all CTAs have arrived; false if one gave up.
template <bool kFits>
__device__ __forceinline__ bool wait_for_all(const Cta<kFits>& cta) {
  if (threadIdx.x == 0) {
    const GreedyControl* const control = cta.arguments.scratch.control;
    for (SpinLimit spins;
         shared_load_acquire(&control->arrivals) >> cta.meeting().bits == cta.shared.arrived;)
      spins.count();
    cta.shared.bailed = shared_load(&control->bail) == cta.shared.tag;
  }
  __syncthreads();
  return !cta.shared.bailed;
}

/// Counts the kept ones of this thread's slots between the own ones.
__device__ __forceinline__ void count_slots(const Cta<true>& cta, const OwnOrder& own,
                                            unsigned kept) {
  constexpr unsigned kSearched = 4;
  while (kept != 0) {
    std::uint64_t keys[kSearched];
#pragma unroll
    for (unsigned k = 0; k < kSearched; ++k, kept &= kept - 1) {
      const unsigned q = static_cast<unsigned>(__ffs(static_cast<int>(kept))) - 1;
      keys[k] = kept != 0 ? cta.columns.slots.keys[q * kThreads + threadIdx.x] : 0;
    }
    count_kept(own, keys);
  }
}

/// Waits until all candidates are decided, and counts the kept ones between the own ones. What is
/// decided is counted while the rest is waited for; each look asks for all that is open at once.
__device__ __forceinline__ void count_all(const Cta<true>& cta, const OwnOrder& own) {
  static_assert(kMaxColumns - 64 <= kAtOnce * kThreads);
  const States states = cta.states();
  unsigned open = 0;
#pragma unroll
  for (unsigned q = 0; q < kAtOnce; ++q) open |= q * kThreads + threadIdx.x < cta.n ? 1U << q : 0;
  for (SpinLimit spins; open != 0; spins.count()) {
    std::uint32_t raw[kAtOnce];
#pragma unroll
    for (unsigned q = 0; q < kAtOnce; ++q) {
      raw[q] = 0;
      if ((open >> q & 1) != 0) raw[q] = states.look(q * kThreads + threadIdx.x);
    }
    unsigned kept = 0;
#pragma unroll
    for (unsigned q = 0; q < kAtOnce; ++q) {
      const State state = states.state(raw[q]);
      kept |= state == kKept ? 1U << q : 0;
      open &= state == kUndecided ? ~0U : ~(1U << q);
    }
    count_slots(cta, own, kept);
  }
}

/// The same for candidates in global memory, when all are decided.
__device__ __forceinline__ void count_all(const Cta<false>& cta, const OwnOrder& own) {
  const States states = cta.states();
  for (unsigned first = threadIdx.x; first < cta.n; first += kAtOnce * kThreads) {
    std::uint32_t raw[kAtOnce];
    float scores[kAtOnce];
#pragma unroll
    for (unsigned q = 0; q < kAtOnce; ++q) {
      const unsigned i = first + q * kThreads;
      raw[q] = 0;
      scores[q] = 0;
      if (i >= cta.n) continue;
      raw[q] = states.look(i);
      scores[q] = __ldg(cta.arguments.view.scores + i);
    }
    std::uint64_t keys[kAtOnce];
    bool any = false;
#pragma unroll
    for (unsigned q = 0; q < kAtOnce; ++q) {
      const bool kept = states.state(raw[q]) == kKept;  // so it is valid
      keys[q] = kept ? key_of(ordered_bits(scores[q]), first + q * kThreads) : 0;
      any |= kept;
    }
    if (any) count_kept(own, keys);
  }
}

/// Writes own kept candidates to their places, and by CTA 0 how many there are. Begins with a
/// barrier.
template <bool kFits>
__device__ __forceinline__ void place_all(const Cta<kFits>& cta, const OwnOrder& own) {
  __syncthreads();
  if (warp_id() != 0) return;
  const unsigned kept = place_own(own, [&](unsigned place, std::uint64_t key) {
    cta.arguments.indices[place] = index_of(key);
  });
  if (blockIdx.x == 0 && threadIdx.x == 0) *cta.arguments.kept = kept;
}

/// Where all candidates are in slots. Before the CTA's own are decided it doesn't look for all
/// others: that would slow down those who decide.
template <bool kAnyStronger>
__device__ __forceinline__ bool decide_and_place(const Cta<true>& cta, const Problem& problem) {
  if (warp_id() < problem.groups()) decide_rows<kAnyStronger>(cta, problem, warp_id());
  __syncthreads();
  OwnOrder own = cta.own_order();
  own.size = cta.shared.own;
  if (own.size == 0 && blockIdx.x != 0) return true;
  if (problem.groups() > 1) order_own(own);
  count_all(cta, own);
  place_all(cta, own);
  return true;
}

/// Where they aren't, and CTAs may give up: they wait for each other before they look.
template <bool kAnyStronger>
__device__ __forceinline__ bool decide_and_place(const Cta<false>& cta, const Problem& problem) {
  bool decided = true;
  if (warp_id() < problem.groups()) decided = decide_rows<kAnyStronger>(cta, problem, warp_id());
  decided = __syncthreads_and(decided) != 0;
  OwnOrder own = cta.own_order();
  own.size = cta.shared.own;
  if (problem.groups() > 1) order_own(own);
  arrive(cta);
  if (!decided || !wait_for_all(cta)) return false;
  if (own.size == 0 && blockIdx.x != 0) return true;
  count_all(cta, own);
  place_all(cta, own);
  return true;
}

}  // namespace facepipe::nms
