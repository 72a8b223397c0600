// Placing a CTA's kept candidates among all kept ones. See Note [Ranking].
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"

namespace facepipe::nms {

// Note [Ranking]
// ~~~~~~~~~~~~~~
// The place of a kept candidate is the number of kept ones that outrank it. Every CTA puts the m
// that it owns in order, looks up each kept candidate of all CTAs among them (log m steps), and
// counts it where it falls; the sums of the counts are the places. This is n log m steps for a CTA,
// whatever the scores, and no CTA waits for another's result.

struct OwnOrder {
  std::uint64_t* keys;   ///< descending, filled up with zeros to padded()
  unsigned* counts;      ///< size + 1: kept ones, of all CTAs, between two of the keys
  std::uint64_t* spare;  ///< for sorting
  unsigned size;

  /// The power of two above the size.
  [[nodiscard]] __device__ unsigned padded() const {
    return size == 0 ? 1 : 2U << (31 - __clz(static_cast<int>(size)));
  }
};

/// Puts up to 32 keys in order, one in each lane that has one, all by one warp.
__device__ __forceinline__ void order_warp(const OwnOrder& own, std::uint64_t key,
                                           unsigned having) {
  const auto size = static_cast<unsigned>(__popc(having));
  const bool mine = (having >> lane_id() & 1) != 0;
  if (mine) own.spare[__popc(having & lanes_below())] = key;
  __syncwarp();
  unsigned place = 0;
#pragma unroll 8
  for (unsigned j = 0; j < size; ++j) place += own.spare[j] > key ? 1 : 0;
  if (mine) own.keys[place] = key;
  for (unsigned i = size + lane_id(); i < 64; i += 32) own.keys[i] = 0;
}

/// Sorts own.size keys from own.spare to own.keys. Begins after a barrier, ends with one.
__device__ __forceinline__ void order_own(const OwnOrder& own) {
  for (unsigned i = threadIdx.x; i < own.padded(); i += kThreads) {
    const std::uint64_t key = i < own.size ? own.spare[i] : 0;
    unsigned place = 0;
#pragma unroll 4
    for (unsigned j = 0; j < own.size; ++j) place += own.spare[j] > key ? 1 : 0;
    own.keys[i < own.size ? place : i] = key;
  }
  __syncthreads();
}

/// Counts kept candidates of whatever CTA, each below the own keys that are >= its own; a key of 0
/// is none. Several at once, since each step of a search waits for memory.
template <unsigned kKeys>
__device__ __forceinline__ void count_kept(const OwnOrder& own,
                                           const std::uint64_t (&keys)[kKeys]) {
  unsigned below[kKeys] = {};
  for (unsigned step = own.padded() / 2; step != 0; step /= 2) {
#pragma unroll
    for (unsigned k = 0; k < kKeys; ++k)
      if (own.keys[below[k] + step - 1] >= keys[k]) below[k] += step;
  }
#pragma unroll
  for (unsigned k = 0; k < kKeys; ++k)
    if (keys[k] != 0) atomicAdd(own.counts + below[k], 1U);
}
__device__ __forceinline__ void count_kept(const OwnOrder& own, std::uint64_t key) {
  const std::uint64_t keys[1] = {key};
  count_kept(own, keys);
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
