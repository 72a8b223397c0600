// Greedy suppression of crowds, by strips in rank order. See Note [Sweep].
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy/board.cuh"
#include "nms/cuda/greedy/columns.cuh"
#include "nms/cuda/greedy/rounds.cuh"
#include "nms/cuda/ranking.cuh"

namespace facepipe::nms {

// Note [Sweep]
// ~~~~~~~~~~~~
// Where many boxes overlap many, the rounds would compare each with all. Here all CTAs first rank
// the candidates, then repeat: take the best 256 that are still alive, decide them among themselves
// (all have outlived everything better), and strike out what the kept ones suppress. Each strip is
// decided by every CTA for itself, which is a bit matrix of 256 x 256 and its rounds in shared
// memory, and then struck out of the CTA's own part of the candidates; one barrier a strip. Memory
// stays linear, a candidate is compared only with kept ones and its strip, and each strip takes 256
// away, so there are at most capacity / 256 of them whatever the boxes.

inline constexpr unsigned kStrip = 256;
static_assert(kStrip <= kMaxRows);
inline constexpr unsigned kRankedAtOnce = 512;

struct SweepScratch {
  std::uint64_t* sorted_keys;
  float4* sorted_boxes;
  std::uint32_t* alive[2];
  std::uint32_t* barrier;
  Meeting meeting;
};

/// A strip waits for its own rows alone.
struct StripBoard {
  OwnBoard own;
  States states;  ///< of nobody

  static constexpr unsigned own_words = kStrip / 32;
  [[nodiscard]] static __device__ __forceinline__ unsigned index_of(unsigned) { return 0; }
  __device__ __forceinline__ void publish(unsigned group, std::uint64_t, unsigned decided,
                                          unsigned kept) const {
    own.publish(group, decided, kept);
  }
  [[nodiscard]] static __device__ __forceinline__ bool given_up() { return false; }
};

struct SweepMemory {
  Columns columns;
  std::uint32_t* bits;
  float4* octets;
  OwnOrder own;
  unsigned (&warp_sums)[kWarps];
  std::uint32_t (&kept)[kMaxGroups];
  std::uint32_t (&removed)[kMaxGroups];
};

__device__ __forceinline__ std::uint64_t key_at(const View& view, unsigned index) {
  const float score = __ldg(view.scores + index);
  return key_of(rank_of(valid(__ldg(view.boxes + index), score), score), index);
}

/// Counts the keys of all n candidates; four loads in flight. Returns how many of this thread's are
/// valid.
__device__ __forceinline__ unsigned count_every(const View& view, unsigned n, const OwnOrder& own) {
  unsigned good = 0;
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < n; i += kThreads) {
    const std::uint64_t key = key_at(view, i);
    good += is_valid_key(key) ? 1 : 0;
    count_kept(own, key);
  }
  return good;
}

/// Sorts candidates [begin, end), at most kRankedAtOnce, to their places among all n. Those that
/// are none come last. Returns how many of all are valid. Ends with a barrier.
__device__ __forceinline__ unsigned sort_part(const View& view, unsigned n, unsigned begin,
                                              unsigned end, SweepMemory& memory,
                                              const SweepScratch& scratch) {
  memory.own.size = end - begin;
  if (threadIdx.x < memory.own.size)
    memory.own.spare[threadIdx.x] = key_at(view, begin + threadIdx.x);
  for (unsigned i = threadIdx.x; i <= memory.own.size; i += kThreads) memory.own.counts[i] = 0;
  __syncthreads();
  order_own(memory.own);
  const unsigned mine = warp_sum(count_every(view, n, memory.own));
  if (lane_id() == 0) memory.warp_sums[warp_id()] = mine;
  __syncthreads();
  const unsigned good = warp_sum(lane_id() < kWarps ? memory.warp_sums[lane_id()] : 0);
  if (warp_id() == 0)
    place_own(memory.own, [&](unsigned place, std::uint64_t key) {
      scratch.sorted_keys[place] = key;
      scratch.sorted_boxes[place] = __ldg(view.boxes + index_of(key));
    });
  __syncthreads();
  return good;
}

/// Sorts this CTA's part of all candidates; returns how many of all are valid. Ends with a barrier.
__device__ __forceinline__ unsigned sort_all(const View& view, unsigned n, SweepMemory& memory,
                                             const SweepScratch& scratch) {
  const unsigned part = (n + gridDim.x - 1) / gridDim.x;
  const unsigned begin = min(n, blockIdx.x * part);
  const unsigned end = min(n, begin + part);
  unsigned good = sort_part(view, n, begin, min(end, begin + kRankedAtOnce), memory, scratch);
  for (unsigned at = begin + kRankedAtOnce; at < end; at += kRankedAtOnce)
    good = sort_part(view, n, at, min(end, at + kRankedAtOnce), memory, scratch);
  return good;
}

/// Fills the columns with the first candidates alive, in rank order; returns how many there are
/// in the strip, and in `last` the place of its last one. Ends with a barrier.
struct Strip {
  unsigned size;
  unsigned alive;  ///< in the strip and after it
  unsigned last;
};

__device__ __forceinline__ Strip take_strip(const std::uint32_t* alive, unsigned good,
                                            bool all_alive, SweepMemory& memory,
                                            const SweepScratch& scratch, unsigned& last_place) {
  constexpr unsigned kWordsEach = 65536 / 32 / kThreads;
  std::uint32_t words[kWordsEach];
  unsigned mine = 0;
#pragma unroll
  for (unsigned q = 0; q < kWordsEach; ++q) {
    const unsigned place = 32 * (kWordsEach * threadIdx.x + q);
    const unsigned valid_here = place < good ? min(32U, good - place) : 0;
    words[q] = valid_here == 0 ? 0
               : all_alive     ? kAllLanes >> (32 - valid_here)
                               : __ldcg(alive + place / 32);
    mine += static_cast<unsigned>(__popc(words[q]));
  }
  const unsigned up_to_here = warp_inclusive_sum(mine);
  if (lane_id() == 31) memory.warp_sums[warp_id()] = up_to_here;
  __syncthreads();
  const unsigned sums = warp_inclusive_sum(lane_id() < kWarps ? memory.warp_sums[lane_id()] : 0);
  const unsigned total = __shfl_sync(kAllLanes, sums, 31);
  unsigned at = up_to_here - mine;
  const unsigned warps_before = __shfl_sync(kAllLanes, sums, warp_id() == 0 ? 0 : warp_id() - 1);
  if (warp_id() != 0) at += warps_before;
  const unsigned size = min(total, kStrip);
#pragma unroll
  for (unsigned q = 0; q < kWordsEach; ++q)
    for (std::uint32_t left = words[q]; left != 0 && at < size; left &= left - 1, ++at) {
      const unsigned place =
          32 * (kWordsEach * threadIdx.x + q) + __ffs(static_cast<int>(left)) - 1;
      memory.columns.slots.keys[at] = key_of(~place, 0);  // better places outrank
      if (at + 1 == size) last_place = place;
    }
  __syncthreads();
  return {size, total, last_place};
}

/// Loads what take_strip() chose, and bounds of each octet. Ends with a barrier.
__device__ __forceinline__ void load_strip(unsigned size, SweepMemory& memory,
                                           const SweepScratch& scratch) {
  const unsigned rows = (size + 31) / 32 * 32;
  if (threadIdx.x < rows) {
    float4 box = empty_box();
    std::uint64_t key = 0;
    if (threadIdx.x < size) {
      const auto rank = static_cast<std::uint32_t>(memory.columns.slots.keys[threadIdx.x] >> 32);
      box = __ldcg(scratch.sorted_boxes + ~rank);
      key = key_of(rank, index_of(__ldcg(scratch.sorted_keys + ~rank)));
    }
    memory.columns.slots.boxes[threadIdx.x] = box;
    memory.columns.slots.keys[threadIdx.x] = key;
    memory.columns.slot_of[threadIdx.x] = static_cast<std::uint16_t>(threadIdx.x);
    const float4 around = octet_bounds(box);
    if (lane_id() % 8 == 0) memory.octets[threadIdx.x / 8] = around;
  }
  __syncthreads();
}

/// Decides the strip's rows, which wait for nobody else. Begins and ends with a barrier.
__device__ __forceinline__ void decide_strip(const Problem& problem, SweepMemory& memory) {
  if (threadIdx.x < kStrip / 32) memory.kept[threadIdx.x] = memory.removed[threadIdx.x] = 0;
  __syncthreads();
  if (warp_id() < problem.groups())
    decide_group(problem, warp_id(), StripBoard{{memory.kept, memory.removed}, {}});
  __syncthreads();
}

/// Whether a kept candidate of the strip suppresses the box at `place`.
template <class Overlap>
__device__ bool falls_to_strip(const View& view, const SweepMemory& memory,
                               const SweepScratch& scratch, unsigned size, unsigned place,
                               float threshold) {
  const Box box = as_box(__ldcg(scratch.sorted_boxes + place));
  const float box_area = area(box);
  const Columns& columns = memory.columns;
  const bool grouped = view.groups != nullptr;
  const std::uint32_t group =
      grouped ? group_of(view, index_of(__ldcg(scratch.sorted_keys + place))) : 0;
  for (unsigned word = 0; word < (size + 31) / 32; ++word)
    for (std::uint32_t left = memory.kept[word]; left != 0; left &= left - 1) {
      const unsigned column = 32 * word + __ffs(static_cast<int>(left)) - 1;
      if (grouped && group_of(view, columns.index(column)) != group) continue;
      const Box winner = as_box(columns.box(column));
      if (Overlap::suppresses(winner, area(winner), box, box_area, threshold)) return true;
    }
  return false;
}

/// Writes this CTA's part of who is alive after the strip.
template <class Overlap>
__device__ void strike_out(const View& view, const SweepMemory& memory, const SweepScratch& scratch,
                           const Strip& strip, unsigned good, const std::uint32_t* alive,
                           std::uint32_t* next, float threshold) {
  const unsigned words = (good + 31) / 32;
  for (unsigned word = blockIdx.x * kWarps + warp_id(); word < words; word += gridDim.x * kWarps) {
    const unsigned place = 32 * word + lane_id();
    bool stands = place > strip.last && place < good;
    if (stands && alive != nullptr) stands = (__ldcg(alive + word) >> lane_id() & 1) != 0;
    if (stands)
      stands = !falls_to_strip<Overlap>(view, memory, scratch, strip.size, place, threshold);
    const unsigned left = __ballot_sync(kAllLanes, stands);
    if (lane_id() == 0) __stcg(next + word, left);
  }
}

/// Appends the strip's kept ones to the output, by CTA 0; returns how many there are.
__device__ __forceinline__ unsigned append_kept(const SweepMemory& memory, unsigned size,
                                                unsigned before, std::uint32_t* indices) {
  unsigned kept = 0;
  for (unsigned word = 0; word < (size + 31) / 32; ++word) {
    const std::uint32_t bits = memory.kept[word];
    if (blockIdx.x == 0 && warp_id() == word && (bits >> lane_id() & 1) != 0)
      indices[before + kept + __popc(bits & lanes_below())] = memory.columns.index(threadIdx.x);
    kept += static_cast<unsigned>(__popc(bits));
  }
  return kept;
}

/// All CTAs together.
template <class Overlap>
__device__ __forceinline__ void sweep(const View& view, unsigned n, float threshold,
                                      SweepMemory& memory, const SweepScratch& scratch,
                                      std::uint32_t* indices, std::uint32_t* kept_count) {
  __shared__ unsigned last_place;
  const unsigned good = sort_all(view, n, memory, scratch);
  unsigned kept = 0;
  for (unsigned strips = 0;; ++strips) {
    grid_barrier(scratch.barrier, scratch.meeting);
    const std::uint32_t* const alive = scratch.alive[strips % 2];
    const Strip strip = take_strip(alive, good, strips == 0, memory, scratch, last_place);
    if (strip.size == 0) break;
    load_strip(strip.size, memory, scratch);
    const Problem problem{memory.columns, memory.bits, strip.size, strip.size};
    compare<Overlap>(problem.columns, view, problem.rows, problem.stride(), problem.end,
                     memory.octets, threshold, memory.bits);
    decide_strip(problem, memory);
    kept += append_kept(memory, strip.size, kept, indices);
    if (strip.alive == strip.size) break;  // none is left after the strip
    strike_out<Overlap>(view, memory, scratch, strip, good, strips == 0 ? nullptr : alive,
                        scratch.alive[(strips + 1) % 2], threshold);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *kept_count = kept;
}

}  // namespace facepipe::nms
