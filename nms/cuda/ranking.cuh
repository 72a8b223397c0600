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
  std::uint64_t* keys;  ///< descending, filled up with zeros to a power of two above the size
  unsigned* counts;     ///< size + 1: kept ones, of all CTAs, between two of the keys
  unsigned size;
  unsigned padded;
};

/// Puts the keys of the kept rows in order. Begins after a barrier, ends with one. There is room for
/// twice as many keys as rows.
template <class KeyOf>
__device__ __forceinline__ void order_own(OwnOrder& own, const std::uint32_t* kept, unsigned groups,
                          KeyOf&& key_of_row) {
  unsigned size = 0;
  for (unsigned group = 0; group < groups; ++group)
    size += static_cast<unsigned>(__popc(kept[group]));
  own.size = size;
  own.padded = size == 0 ? 1 : 2U << (31 - __clz(static_cast<int>(size)));
  for (unsigned group = warp_id(); group < groups; group += kWarps) {
    const bool mine = (kept[group] >> lane_id() & 1) != 0;
    const std::uint64_t key = mine ? key_of_row(32 * group + lane_id()) : 0;
    unsigned place = 0;
    for (unsigned other = 0; other < groups; ++other)
#pragma unroll 2
      for (std::uint32_t left = kept[other]; left != 0; left &= left - 1)
        place += key_of_row(32 * other + __ffs(static_cast<int>(left)) - 1) > key ? 1 : 0;
    if (mine) own.keys[place] = key;
  }
  for (unsigned i = threadIdx.x; i < own.padded; i += kThreads) {
    if (i >= size) own.keys[i] = 0;
    own.counts[i] = 0;
  }
  __syncthreads();
}

/// Counts a kept candidate of whatever CTA: below the own keys that are >= its own.
__device__ __forceinline__ void count_kept(const OwnOrder& own, std::uint64_t key) {
  unsigned below = 0;
  for (unsigned step = own.padded / 2; step != 0; step /= 2)
    if (own.keys[below + step - 1] >= key) below += step;
  atomicAdd(own.counts + below, 1U);
}

/// Calls write(place, key) for each own key. One warp; returns how many there are in all CTAs.
template <class Write>
__device__ __forceinline__ unsigned place_own(const OwnOrder& own, Write&& write) {
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
