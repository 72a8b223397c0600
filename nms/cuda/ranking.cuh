// Placing a CTA's kept candidates among all kept ones. See Note [Ranking].
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"

namespace facepipe::nms {

// Note [Ranking]
// ~~~~~~~~~~~~~~
// The place of a kept candidate is the number of kept ones that outrank it. Every CTA puts the m that
// it owns in order, looks up each kept candidate of all CTAs among them (log m steps), and counts it
// where it falls; the sums of the counts are the places. This is n log m steps for a CTA, whatever the
// scores, and no CTA waits for another's result.

struct OwnOrder {
  std::uint64_t* keys;  ///< descending
  unsigned* counts;     ///< size + 1: kept ones, of all CTAs, between two of the keys
  unsigned size;
};

/// Puts the keys of the kept rows in order. Begins after a barrier, ends with one.
__device__ inline void order_own(OwnOrder& own, const std::uint64_t* keys,
                                 const std::uint32_t* kept, unsigned rows) {
  unsigned size = 0;
  for (unsigned word = 0; word < rows / 32; ++word) size += __popc(kept[word]);
  own.size = size;
  for (unsigned row = threadIdx.x; row < rows; row += kThreads) {
    if ((kept[row / 32] >> row % 32 & 1) == 0) continue;
    const std::uint64_t key = keys[row];
    unsigned place = 0;
    for (unsigned word = 0; word < rows / 32; ++word)
      for (std::uint32_t left = kept[word]; left != 0; left &= left - 1)
        place += keys[32 * word + __ffs(static_cast<int>(left)) - 1] > key;
    own.keys[place] = key;
  }
  for (unsigned i = threadIdx.x; i <= size; i += kThreads) own.counts[i] = 0;
  __syncthreads();
}

/// Counts a kept candidate of whatever CTA.
__device__ __forceinline__ void count_kept(const OwnOrder& own, std::uint64_t key) {
  unsigned below = 0;  // own.keys[0, below) are >= key
  for (unsigned left = own.size; left != 0;) {
    const unsigned half = left / 2;
    const bool right = own.keys[below + half] >= key;
    below += right ? half + 1 : 0;
    left = right ? left - half - 1 : half;
  }
  atomicAdd(own.counts + below, 1U);
}

/// Calls write(place, key) for each own key. One warp; returns how many there are in all CTAs.
template <class Write>
__device__ unsigned place_own(const OwnOrder& own, Write&& write) {
  unsigned before = 0;
  for (unsigned first = 0; first <= own.size; first += 32) {
    const unsigned i = first + lane_id();
    const unsigned up_to_here = before + warp_inclusive_sum(i <= own.size ? own.counts[i] : 0);
    // Those that outrank key i fell to places 0..i, and key i itself to i + 1.
    if (i < own.size) write(up_to_here, own.keys[i]);
    before = __shfl_sync(kAllLanes, up_to_here, 31);
  }
  return before;
}

}  // namespace facepipe::nms
