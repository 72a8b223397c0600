// Finds the positions in the output of the candidates that a thread block owns. See Note [Ranking].
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"

namespace facepipe::nms {

// Note [Ranking]
// ~~~~~~~~~~~~~~
// The output is in rank order. So the position of a candidate is the number of candidates of the
// output that outrank it. Each block sorts its own m candidates of the output. Then it goes through
// all n candidates of the output. A binary search of log m steps finds the two own candidates
// between which each of the n candidates ranks, and the block counts the candidate there. The
// prefix sums over these m + 1 counts are the positions of the block's own candidates. This takes n
// log m steps for each block, for any scores, and no block waits for the positions of another.

/// Holds the keys of the block's own candidates of the output. The arrays are in shared memory.
struct BlockRanking {
  std::uint64_t* keys;  ///< sorted, descending, padded with zeros to padded()
  /// size + 1 numbers; counts[i] is the number of candidates of the output with keys[i - 1] >= key
  /// > keys[i].
  unsigned* counts;
  std::uint64_t* spare;  ///< the keys before they are sorted
  unsigned size;

  /// Returns the smallest power of two that is greater than `size`.
  [[nodiscard]] __device__ unsigned padded() const {
    return size == 0 ? 1 : 2U << (31 - __clz(static_cast<int>(size)));
  }
};

/// Sorts up to 32 keys: a key from each lane whose bit in `having` is set. One warp must call it.
__device__ __forceinline__ void sort_own_in_warp(const BlockRanking& own, std::uint64_t key,
                                                 unsigned having) {
  const auto size = static_cast<unsigned>(__popc(having));
  const bool mine = (having >> lane_id() & 1) != 0;
  if (mine) own.spare[__popc(having & lanes_below())] = key;
  __syncwarp();
  unsigned position = 0;
#pragma unroll 8
  for (unsigned j = 0; j < size; ++j) position += own.spare[j] > key ? 1 : 0;
  if (mine) own.keys[position] = key;
  for (unsigned i = size + lane_id(); i < 64; i += 32) own.keys[i] = 0;
}

/// Sorts own.size keys from own.spare to own.keys. All threads of the block must call it, after a
/// barrier. It ends with a barrier.
__device__ __forceinline__ void sort_own(const BlockRanking& own) {
  for (unsigned i = threadIdx.x; i < own.padded(); i += kThreads) {
    const std::uint64_t key = i < own.size ? own.spare[i] : 0;
    unsigned position = 0;
#pragma unroll 4
    for (unsigned j = 0; j < own.size; ++j) position += own.spare[j] > key ? 1 : 0;
    own.keys[i < own.size ? position : i] = key;
  }
  __syncthreads();
}

/// Counts candidates of the output, from any block. A candidate is counted in counts[i], where i is
/// the number of own keys that are greater than or equal to its key. A key of 0 is skipped. The
/// function searches for several keys at the same time, because each step of a search waits for
/// memory.
template <unsigned kKeys>
__device__ __forceinline__ void count_among(const BlockRanking& own,
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
__device__ __forceinline__ void count_among(const BlockRanking& own, std::uint64_t key) {
  const std::uint64_t keys[1] = {key};
  count_among(own, keys);
}

/// Calls write(position, key) for each own key. One warp must call it. Returns the number of
/// candidates of the whole output.
template <class Write>
__device__ __forceinline__ unsigned write_own(const BlockRanking& own, Write&& write) {
  unsigned before = 0;
  for (unsigned first = 0; first <= own.size; first += 32) {
    const unsigned i = first + lane_id();
    const unsigned up_to_here = before + warp_inclusive_sum(i <= own.size ? own.counts[i] : 0);
    // counts[0..i] count the candidates that outrank key i, and counts[i + 1] counts key i itself.
    if (i < own.size) write(up_to_here, own.keys[i]);
    before = __shfl_sync(kAllLanes, up_to_here, 31);
  }
  return before;
}

}  // namespace facepipe::nms
