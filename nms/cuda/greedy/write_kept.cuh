// Decides a block's rows, and writes the kept rows to their positions in the output.
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy/block_context.cuh"
#include "nms/cuda/greedy/decisions.cuh"
#include "nms/cuda/greedy/propagate.cuh"
#include "nms/cuda/ranking.cuh"

namespace facepipe::nms {

/// Decides the rows of a row word, and appends the keys of the kept rows to the block's ranking.
/// Returns false if a block has requested the fallback.
template <bool kAnyStronger, bool kFits>
__device__ __forceinline__ bool decide_rows(const BlockContext<kFits>& block,
                                            const SuppressionMatrix& matrix, unsigned row_word) {
  const GridDecisions decisions{block.columns,
                                matrix.row_words(),
                                {block.shared.kept, block.shared.removed},
                                block.states(),
                                kFits ? nullptr : &block.arguments.scratch.control->fallback};
  WarpRows rows;
  if constexpr (kAnyStronger)
    rows = decide_by_any_suppressor(matrix, row_word, decisions);
  else
    rows = decide_warp_rows(matrix, row_word, decisions);
  publish_invalid(matrix, rows, decisions.states);
  const BlockRanking own = block.own_ranking();
  const bool kept = rows.mine(rows.kept);
  const auto count = static_cast<unsigned>(__popc(rows.kept));
  if (matrix.row_words() == 1) {
    sort_own_in_warp(own, rows.key, rows.kept);
    if (lane_id() == 0) block.shared.own_kept = count;
  } else {
    unsigned first = 0;
    if (lane_id() == 0) first = atomicAdd(&block.shared.own_kept, count);
    first = __shfl_sync(kAllLanes, first, 0);
    if (kept)
      own.spare[first + static_cast<unsigned>(__popc(rows.kept & lanes_below()))] = rows.key;
  }
  return rows.undecided == 0;
}

/// Signals that this block has decided its rows, or has requested the fallback.
template <bool kFits>
__device__ __forceinline__ void arrive(const BlockContext<kFits>& block) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  std::uint32_t* const arrivals = &block.arguments.scratch.control->arrivals;
  block.shared.arrived = add_release(arrivals, block.phases().increment()) >> block.phases().bits;
}

/// Waits until all blocks have arrived. Returns false if any block has requested the fallback.
template <bool kFits>
__device__ __forceinline__ bool wait_for_all(const BlockContext<kFits>& block) {
  if (threadIdx.x == 0) {
    const GreedyControl* const control = block.arguments.scratch.control;
    for (SpinLimit spins;
         load_acquire(&control->arrivals) >> block.phases().bits == block.shared.arrived;)
      spins.count();
    block.shared.falls_back = load_relaxed(&control->fallback) == block.shared.tag;
  }
  __syncthreads();
  return !block.shared.falls_back;
}

/// Counts kept candidates by their rank among the block's own candidates (see count_among()).
/// `kept` has a bit for each entry of this thread. A bit is set if the candidate is kept.
__device__ __forceinline__ void count_kept_entries(const BlockContext<true>& block,
                                                   const BlockRanking& own, unsigned kept) {
  constexpr unsigned kSearched = 4;
  while (kept != 0) {
    std::uint64_t keys[kSearched];
#pragma unroll
    for (unsigned k = 0; k < kSearched; ++k, kept &= kept - 1) {
      const unsigned q = static_cast<unsigned>(__ffs(static_cast<int>(kept))) - 1;
      keys[k] = kept != 0 ? block.columns.candidates.keys[q * kThreads + threadIdx.x] : 0;
    }
    count_among(own, keys);
  }
}

/// Polls the states of all candidates until each is decided. Counts each kept candidate, as soon as
/// it is known, by its rank among the block's own candidates. All loads of one poll are in flight
/// together.
__device__ __forceinline__ void count_all_kept(const BlockContext<true>& block,
                                               const BlockRanking& own) {
  static_assert(kMaxColumns - 64 <= kLoadsInFlight * kThreads);
  const PublishedStates states = block.states();
  unsigned open = 0;
#pragma unroll
  for (unsigned q = 0; q < kLoadsInFlight; ++q)
    open |= q * kThreads + threadIdx.x < block.n ? 1U << q : 0;
  for (SpinLimit spins; open != 0; spins.count()) {
    std::uint32_t raw[kLoadsInFlight];
#pragma unroll
    for (unsigned q = 0; q < kLoadsInFlight; ++q) {
      raw[q] = 0;
      if ((open >> q & 1) != 0) raw[q] = states.load(q * kThreads + threadIdx.x);
    }
    unsigned kept = 0;
#pragma unroll
    for (unsigned q = 0; q < kLoadsInFlight; ++q) {
      const CandidateState state = states.state_of(raw[q]);
      kept |= state == kKept ? 1U << q : 0;
      open &= state == kUndecided ? ~0U : ~(1U << q);
    }
    count_kept_entries(block, own, kept);
  }
}

/// Counts all kept candidates in the same way, but for candidates that are not in shared memory.
/// All candidates must have been decided.
__device__ __forceinline__ void count_all_kept(const BlockContext<false>& block,
                                               const BlockRanking& own) {
  const PublishedStates states = block.states();
  for (unsigned first = threadIdx.x; first < block.n; first += kLoadsInFlight * kThreads) {
    std::uint32_t raw[kLoadsInFlight];
    float scores[kLoadsInFlight];
#pragma unroll
    for (unsigned q = 0; q < kLoadsInFlight; ++q) {
      const unsigned i = first + q * kThreads;
      raw[q] = 0;
      scores[q] = 0;
      if (i >= block.n) continue;
      raw[q] = states.load(i);
      scores[q] = __ldg(block.arguments.view.scores + i);
    }
    std::uint64_t keys[kLoadsInFlight];
    bool any = false;
#pragma unroll
    for (unsigned q = 0; q < kLoadsInFlight; ++q) {
      const bool kept = states.state_of(raw[q]) == kKept;  // a kept candidate is valid
      keys[q] = kept ? key_of(ordered_bits(scores[q]), first + q * kThreads) : 0;
      any |= kept;
    }
    if (any) count_among(own, keys);
  }
}

/// Writes the block's kept candidates to their positions in the output. Block 0 also writes the
/// number of all kept candidates. Begins with a barrier.
template <bool kFits>
__device__ __forceinline__ void write_kept(const BlockContext<kFits>& block,
                                           const BlockRanking& own) {
  __syncthreads();
  if (warp_id() != 0) return;
  const unsigned kept = write_own(own, [&](unsigned position, std::uint64_t key) {
    block.arguments.indices[position] = index_of(key);
  });
  if (blockIdx.x == 0 && threadIdx.x == 0) *block.arguments.kept = kept;
}

/// Decides the block's rows and writes its part of the output. This version is for candidates that
/// are all in shared memory; it always returns true. The block polls the states of all candidates
/// only after it has decided its own rows, because polling slows down the blocks that still decide.
template <bool kAnyStronger>
__device__ __forceinline__ bool decide_and_write(const BlockContext<true>& block,
                                                 const SuppressionMatrix& matrix) {
  if (warp_id() < matrix.row_words()) decide_rows<kAnyStronger>(block, matrix, warp_id());
  __syncthreads();
  BlockRanking own = block.own_ranking();
  own.size = block.shared.own_kept;
  if (own.size == 0 && blockIdx.x != 0) return true;
  if (matrix.row_words() > 1) sort_own(own);
  count_all_kept(block, own);
  write_kept(block, own);
  return true;
}

/// Decides the block's rows and writes its part of the output. This version is for candidates that
/// are not all in shared memory. The blocks wait for each other after they have decided their rows.
/// If a block has requested the fallback, the function writes nothing and returns false.
template <bool kAnyStronger>
__device__ __forceinline__ bool decide_and_write(const BlockContext<false>& block,
                                                 const SuppressionMatrix& matrix) {
  bool decided = true;
  if (warp_id() < matrix.row_words()) decided = decide_rows<kAnyStronger>(block, matrix, warp_id());
  decided = __syncthreads_and(decided) != 0;
  BlockRanking own = block.own_ranking();
  own.size = block.shared.own_kept;
  if (matrix.row_words() > 1) sort_own(own);
  arrive(block);
  if (!decided || !wait_for_all(block)) return false;
  if (own.size == 0 && blockIdx.x != 0) return true;
  count_all_kept(block, own);
  write_kept(block, own);
  return true;
}

}  // namespace facepipe::nms
