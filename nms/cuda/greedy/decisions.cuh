// Publishes decisions about candidates: in global memory for other thread blocks, in shared memory
// for other warps of the block.
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy/suppression_matrix.cuh"

namespace facepipe::nms {

enum CandidateState : std::uint32_t { kUndecided = 0, kKept = 1, kRemoved = 2 };

// Note [Tags]
// ~~~~~~~~~~~
// A published word holds a state in its lower 2 bits. Its upper 30 bits hold the tag of the launch
// that wrote it. A launch regards only words with its own tag as current, so no kernel has to clear
// the words between launches. The tag is the number of the launch, modulo 2^24 or a smaller power
// of two. So a word that was last written exactly that many launches ago would look current. To
// prevent this, each launch clears some of the words beyond its candidates. It clears each word
// whose index is equal to the launch's tag modulo 4,096. So a word that no launch writes is cleared
// once in 4,096 launches.

/// Holds the states of all candidates in global memory, by index.
struct PublishedStates {
  std::uint32_t* words;
  std::uint32_t tag;

  /// Returns the word of a candidate, for state_of(). Loading and interpreting a word are separate,
  /// so that several loads can be in flight.
  __device__ __forceinline__ std::uint32_t load(unsigned index) const {
    return load_relaxed(words + index);
  }
  __device__ __forceinline__ CandidateState state_of(std::uint32_t word) const {
    return (word >> 2) == tag ? static_cast<CandidateState>(word & 3) : kUndecided;
  }
  __device__ __forceinline__ CandidateState read(unsigned index) const {
    return state_of(load(index));
  }
  __device__ __forceinline__ void publish(unsigned index, CandidateState state) const {
    store_relaxed(words + index, (tag << 2) | state);
  }
  __device__ void clear_stale(unsigned count, unsigned capacity) const {
    for (unsigned i = (tag & 4095U) + 4096U * threadIdx.x; i < capacity; i += 4096U * kThreads)
      if (i >= count) store_relaxed(words + i, 0);
  }
};

/// Holds decisions about the block's own rows in shared memory, a bit for each row. The block's
/// other warps read them.
struct OwnDecisions {
  volatile std::uint32_t* kept;
  volatile std::uint32_t* removed;

  __device__ __forceinline__ void publish(unsigned row_word, unsigned decided,
                                          unsigned kept_mask) const {
    if (lane_id() != 0) return;
    atomicOr(const_cast<std::uint32_t*>(kept + row_word), decided & kept_mask);
    atomicOr(const_cast<std::uint32_t*>(removed + row_word), decided & ~kept_mask);
  }
};

/// Holds what decide_warp_rows() reads and publishes if the whole grid decides together: the states
/// of all candidates, and the decisions about the block's own rows.
struct GridDecisions {
  const MatrixColumns& columns;
  unsigned own_words;  ///< column words whose columns are the block's own rows
  OwnDecisions own;
  PublishedStates states;
  const std::uint32_t* fallback;  ///< GreedyControl::fallback; null if no block can request it

  /// Returns the candidate of a column, whose published state is then polled.
  [[nodiscard]] __device__ __forceinline__ unsigned candidate_of(unsigned column) const {
    return columns.index(column);
  }
  __device__ __forceinline__ void publish(unsigned row_word, std::uint64_t key, unsigned decided,
                                          unsigned kept) const {
    if ((decided >> lane_id() & 1) != 0)
      states.publish(index_of(key), (kept >> lane_id() & 1) != 0 ? kKept : kRemoved);
    if (own_words > 1) own.publish(row_word, decided, kept);
  }
  [[nodiscard]] __device__ __forceinline__ bool fallback_requested() const {
    return fallback != nullptr && load_relaxed(fallback) == states.tag;
  }
};

}  // namespace facepipe::nms
