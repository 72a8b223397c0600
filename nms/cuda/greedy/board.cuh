// A CTA's problem, and the boards on which decisions are written and looked up.
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy/columns.cuh"

namespace facepipe::nms {

inline constexpr unsigned kMaxRows = 512;
inline constexpr unsigned kMaxGroups = kMaxRows / 32;
static_assert(kMaxGroups <= kWarps);  // a warp for each, so that none waits for its own later ones
inline constexpr unsigned kMaxColumns = 4096 + 64;

enum State : std::uint32_t { kUndecided = 0, kKept = 1, kRemoved = 2 };

// Note [Tags]
// ~~~~~~~~~~~
// A state in L2 is current if its upper 30 bits are the launch's tag, so nothing is cleared between
// launches. The tag counts launches, modulo 2^24 at most, so a word written that many launches ago
// and never since would look current. Each launch therefore clears the words beyond its count whose
// number is, modulo 4,096, its tag: none gets older than 4,096 launches.
struct States {
  std::uint32_t* words;
  std::uint32_t tag;

  /// A word as it stands: several can be on their way at once. state() tells what it means.
  __device__ __forceinline__ std::uint32_t look(unsigned index) const {
    return shared_load(words + index);
  }
  __device__ __forceinline__ State state(std::uint32_t word) const {
    return (word >> 2) == tag ? static_cast<State>(word & 3) : kUndecided;
  }
  __device__ __forceinline__ State read(unsigned index) const { return state(look(index)); }
  __device__ __forceinline__ void publish(unsigned index, State state) const {
    shared_store(words + index, (tag << 2) | state);
  }
  __device__ void clear_old(unsigned count, unsigned capacity) const {
    for (unsigned i = (tag & 4095U) + 4096U * threadIdx.x; i < capacity; i += 4096U * kThreads)
      if (i >= count) shared_store(words + i, 0);
  }
};

/// A CTA's problem: rows [0, rows), in groups of 32, and the columns before `end`.
struct Problem {
  Columns columns;
  std::uint32_t* bits;
  unsigned rows, end;

  [[nodiscard]] __device__ unsigned groups() const { return (rows + 31) / 32; }
  [[nodiscard]] __device__ unsigned stride() const { return 32 * groups(); }
  [[nodiscard]] __device__ unsigned words() const { return (end + 31) / 32; }
  /// Whether columns of a word suppress this lane's row of the group.
  [[nodiscard]] __device__ std::uint32_t& suppressors(unsigned word, unsigned group) const {
    return bits[word * stride() + 32 * group + lane_id()];
  }
};

/// What a CTA's own rows have come to, a bit each, where its warps see each other's.
struct OwnBoard {
  volatile std::uint32_t* kept;
  volatile std::uint32_t* removed;

  __device__ __forceinline__ void publish(unsigned group, unsigned decided,
                                          unsigned kept_mask) const {
    if (lane_id() != 0) return;
    atomicOr(const_cast<std::uint32_t*>(kept + group), decided & kept_mask);
    atomicOr(const_cast<std::uint32_t*>(removed + group), decided & ~kept_mask);
  }
};

/// The board of the grid, that of the own rows, and the flag by which CTAs give up, if any can.
struct GridBoard {
  const Columns& columns;
  unsigned own_words;  ///< of columns that are own rows
  OwnBoard own;
  States states;
  const std::uint32_t* bail;

  /// Where others' columns are looked up.
  [[nodiscard]] __device__ __forceinline__ unsigned index_of(unsigned column) const {
    return columns.index(column);
  }
  __device__ __forceinline__ void publish(unsigned group, std::uint64_t key, unsigned decided,
                                          unsigned kept) const {
    if ((decided >> lane_id() & 1) != 0)
      states.publish(nms::index_of(key), (kept >> lane_id() & 1) != 0 ? kKept : kRemoved);
    if (own_words > 1) own.publish(group, decided, kept);
  }
  [[nodiscard]] __device__ __forceinline__ bool given_up() const {
    return bail != nullptr && shared_load(bail) == states.tag;
  }
};

}  // namespace facepipe::nms
