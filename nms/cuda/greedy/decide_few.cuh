// One thread block decides few candidates. See Note [Few candidates].
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy/block_context.cuh"
#include "nms/cuda/overlaps.cuh"

namespace facepipe::nms {

// Note [Few candidates]
// ~~~~~~~~~~~~~~~~~~~~~
// Blocks that decide together wait for each other's decisions, and a decision takes about a
// microsecond from one block to another. In a chain, each candidate waits for the candidate before
// it, and each step to another block costs another microsecond. One block alone takes longer to
// compare all candidates, but it decides in shared memory. For so few candidates, one block is
// faster for every input, and its time hardly depends on the boxes.
//
// The block brings the valid candidates into rank order. So only earlier candidates can suppress a
// candidate, and half of the matrix isn't computed. One warp then decides the candidates, 32 at a
// time. It has all earlier decisions in registers.

inline constexpr unsigned kFewCandidates = 256;
inline constexpr unsigned kFewWords = kFewCandidates / 32;
static_assert(2 * kFewCandidates == kThreads);

/// The number of candidates up to which one block decides them. DIoU needs a division for each
/// pair, so several blocks are faster even for fewer candidates.
template <class Overlap>
inline constexpr unsigned kMostForOneBlock = kFewCandidates;
template <>
inline constexpr unsigned kMostForOneBlock<DiouOverlap> = kFewCandidates / 2;

/// Uses the memory of the counts by cell, which decide_few() doesn't need.
struct FewMemory {
  float4 boxes[kFewCandidates];           ///< in rank order, padded with empty boxes
  float areas[kFewCandidates];            ///< in rank order
  std::uint32_t scores[kFewCandidates];   ///< ordered_score(), by index, padded with 0
  std::uint16_t indices[kFewCandidates];  ///< in rank order
  union {
    std::uint32_t outranked_by[2][kFewCandidates];  ///< by index; a rank is the sum of both counts
    /// Bit j of suppressors[w][r] tells whether candidate 32 w + j suppresses candidate r; both are
    /// ranks. Words whose candidates all rank below r are undefined.
    std::uint32_t suppressors[kFewWords][kFewCandidates];
  };
};
static_assert(sizeof(FewMemory) <= kCountsBytes);

/// Returns how many of the 32 scores outrank a candidate with the score `score`, which is not 0.
/// `equal_outranks` tells whether equal scores outrank it, too. They do if their candidates have
/// lower indices.
__device__ __forceinline__ unsigned outranking(const std::uint32_t* scores, std::uint32_t score,
                                               bool equal_outranks) {
  const std::uint32_t least = equal_outranks ? score - 1 : score;
  unsigned count = 0;
#pragma unroll
  for (unsigned j = 0; j < 32; j += 4) {
    const uint4 four = *reinterpret_cast<const uint4*>(scores + j);
    count += (four.x > least ? 1 : 0) + (four.y > least ? 1 : 0) + (four.z > least ? 1 : 0) +
             (four.w > least ? 1 : 0);
  }
  return count;
}

/// Does the same for the 32 scores of the warp's lanes. An equal score of a lower lane outranks the
/// score of this lane.
__device__ __forceinline__ unsigned outranking_in_warp(const std::uint32_t* scores,
                                                       std::uint32_t score) {
  unsigned count = 0;
#pragma unroll 8
  for (unsigned j = 0; j < 32; ++j)
    count += scores[j] > (j < lane_id() ? score - 1 : score) ? 1 : 0;
  return count;
}

/// Returns how many candidates of every second word outrank the valid candidate `index`. Two
/// threads call it for each candidate: one with `half` 0 (even words), one with `half` 1 (odd
/// words).
__device__ __forceinline__ unsigned count_half(const FewMemory& few, unsigned index, unsigned half,
                                               std::uint32_t score, unsigned words) {
  const unsigned own = index / 32;
  unsigned count = 0;
  for (unsigned word = half; word < words; word += 2)
    count += word == own ? outranking_in_warp(few.scores + 32 * word, score)
                         : outranking(few.scores + 32 * word, score, word < own);
  return count;
}

/// Brings the valid candidates into rank order. Thread t has the box and the score of candidate t.
/// Returns the number of valid candidates. Ends with a barrier.
__device__ __forceinline__ unsigned put_in_rank_order(FewMemory& few, unsigned n, float4 box,
                                                      float score) {
  const unsigned index = threadIdx.x % kFewCandidates;
  const unsigned half = threadIdx.x / kFewCandidates;
  const bool is_valid = threadIdx.x < n && valid(box, score);
  if (half == 0) few.scores[index] = ordered_score(is_valid, score);
  const auto count = static_cast<unsigned>(__syncthreads_count(is_valid));
  const std::uint32_t own = few.scores[index];
  if (own != 0) few.outranked_by[half][index] = count_half(few, index, half, own, (n + 31) / 32);
  __syncthreads();
  if (is_valid) {
    const unsigned rank = few.outranked_by[0][index] + few.outranked_by[1][index];
    few.boxes[rank] = box;
    few.areas[rank] = area(as_box(box));
    few.indices[rank] = static_cast<std::uint16_t>(index);
  } else if (half == 1 && index >= count && index < (count + 31) / 32 * 32) {
    few.boxes[index] = empty_box();
    few.areas[index] = 0;
  }
  __syncthreads();
  return count;
}

/// Computes the words of the matrix that decide_and_write_few() reads. In each step, a warp
/// compares 32 candidates with eight candidates of the same word or of an earlier word. Contains no
/// barrier.
template <class Overlap>
__device__ __forceinline__ void compare_few(FewMemory& few, unsigned words, float threshold) {
  constexpr unsigned kColumns = 8;
  for (unsigned task = warp_id(); task < 2 * words * (words + 1); task += kWarps) {
    unsigned row_word = 0;
    unsigned column_word = task / 4;
    while (column_word > row_word) column_word -= ++row_word;
    const unsigned row = 32 * row_word + lane_id();
    const unsigned first = 32 * column_word + kColumns * (task % 4);
    const Box loser = as_box(few.boxes[row]);
    const float loser_area = few.areas[row];
    const auto* const areas = reinterpret_cast<const float4*>(few.areas + first);
    const float4 low = areas[0];
    const float4 high = areas[1];
    const float winner_areas[kColumns] = {low.x,  low.y,  low.z,  low.w,
                                          high.x, high.y, high.z, high.w};
    unsigned suppressors = 0;
#pragma unroll
    for (unsigned j = 0; j < kColumns; ++j)
      if (Overlap::suppresses(as_box(few.boxes[first + j]), winner_areas[j], loser, loser_area,
                              threshold))
        suppressors |= 1U << j;
    auto* const bytes = reinterpret_cast<std::uint8_t*>(&few.suppressors[column_word][row]);
    bytes[task % 4] = static_cast<std::uint8_t>(suppressors);
  }
}

/// Decides 32 candidates. `open` has a bit for each valid candidate that no earlier candidate has
/// removed. `stronger` has a bit for each of the 32 candidates that suppresses the lane's
/// candidate. Returns, in every lane, a bit for each kept candidate.
template <bool kAnyStronger>
__device__ __forceinline__ unsigned decide_word(unsigned open, unsigned stronger) {
  if constexpr (kAnyStronger) return __ballot_sync(kAllLanes, stronger == 0) & open;
  unsigned kept = 0;
  while (open != 0) {
    // The first open candidate is always kept, so each iteration decides at least one candidate.
    const bool mine = (open >> lane_id() & 1) != 0;
    kept |= __ballot_sync(kAllLanes, mine && (stronger & open) == 0);
    open &= ~kept & __ballot_sync(kAllLanes, (stronger & kept) == 0);
  }
  return kept;
}

/// Decides all candidates and writes the whole output. One warp calls it.
template <bool kAnyStronger>
__device__ __forceinline__ void decide_and_write_few(const FewMemory& few, unsigned count,
                                                     std::uint32_t* indices,
                                                     std::uint32_t* kept_count) {
  unsigned kept[kFewWords] = {};
  unsigned written = 0;
#pragma unroll
  for (unsigned r = 0; r < kFewWords; ++r) {
    if (32 * r >= count) break;
    const unsigned row = 32 * r + lane_id();
    unsigned suppressed = 0;
#pragma unroll
    for (unsigned c = 0; c < r; ++c)
      suppressed |= few.suppressors[c][row] & (kAnyStronger ? kAllLanes : kept[c]);
    const unsigned stronger = few.suppressors[r][row] & lanes_below();
    const unsigned open = __ballot_sync(kAllLanes, row < count && suppressed == 0);
    kept[r] = decide_word<kAnyStronger>(open, stronger);
    if ((kept[r] >> lane_id() & 1) != 0)
      indices[written + static_cast<unsigned>(__popc(kept[r] & lanes_below()))] = few.indices[row];
    written += static_cast<unsigned>(__popc(kept[r]));
  }
  if (lane_id() == 0) *kept_count = written;
}

/// Decides up to kFewCandidates candidates and writes the output. One block calls it. Thread t has
/// the box and the score of candidate t.
template <class Overlap, bool kAnyStronger>
__device__ __forceinline__ void decide_few(const GreedyArguments& arguments, FewMemory& few,
                                           unsigned n, float4 box, float score) {
  const unsigned count = put_in_rank_order(few, n, box, score);
  compare_few<Overlap>(few, (count + 31) / 32, arguments.threshold);
  __syncthreads();
  if (warp_id() == 0)
    decide_and_write_few<kAnyStronger>(few, count, arguments.indices, arguments.kept);
}

}  // namespace facepipe::nms
