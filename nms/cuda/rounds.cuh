// Deciding a CTA's rows by rounds. See Note [Rounds].
#pragma once

#include <cstdint>

#include "nms/cuda/columns.cuh"
#include "nms/cuda/device.cuh"

namespace facepipe::nms {

// Note [Rounds]
// ~~~~~~~~~~~~~
// A candidate is removed as soon as one of its suppressors is known to be kept, and kept as soon as
// all of them are known to be removed. What is known only grows and each suppressor outranks what it
// suppresses, so in any order of updates this ends, with what greedy suppression keeps: the best one
// undecided can always be decided. So nobody waits for a round to end. Within a CTA warps see each
// other's decisions in shared memory; across CTAs each candidate has one word in L2, which its owner
// writes once and others poll. The word carries the launch's tag, so nothing is cleared between
// launches; see Note [Tags].

inline constexpr unsigned kMaxColumns = 2048;
inline constexpr unsigned kMaxWords = kMaxColumns / 32;
inline constexpr unsigned kMaxRows = 1024;
inline constexpr unsigned kMaxGroups = kMaxRows / 32;

enum State : std::uint32_t { kUndecided = 0, kKept = 1, kRemoved = 2 };

// Note [Tags]
// ~~~~~~~~~~~
// A state is current if its upper 30 bits are the launch's tag. The tag counts launches, modulo 2^24 at
// most, so a word written that many launches ago and never since would look current. Each launch
// therefore clears the words beyond its count whose number is, modulo 4,096, its tag: none gets older
// than 4,096 launches.
struct States {
  std::uint32_t* words;
  std::uint32_t tag;

  __device__ __forceinline__ State read(unsigned index) const {
    const std::uint32_t word = shared_load(words + index);
    return (word >> 2) == tag ? static_cast<State>(word & 3) : kUndecided;
  }
  __device__ __forceinline__ void publish(unsigned index, State state) const {
    shared_store(words + index, (tag << 2) | state);
  }
  __device__ void clear_old(unsigned count, unsigned capacity) const {
    for (unsigned i = (tag & 4095U) + 4096U * threadIdx.x; i < capacity; i += 4096U * kThreads)
      if (i >= count) shared_store(words + i, 0);
  }
};

/// Columns' fate as far as the CTA knows it, a bit a column. Each word is written by one warp.
struct Knowledge {
  std::uint32_t kept[kMaxWords];
  std::uint32_t removed[kMaxWords];
  std::uint32_t undecided[kMaxGroups];    ///< rows, by their owner
  unsigned long long waiting[kMaxGroups];  ///< words with suppressors that a group still waits for
  unsigned open_groups;
  bool bailed;

  __device__ __forceinline__ std::uint32_t known_kept(unsigned word) const {
    return *const_cast<const volatile std::uint32_t*>(kept + word);
  }
  __device__ __forceinline__ std::uint32_t known_removed(unsigned word) const {
    return *const_cast<const volatile std::uint32_t*>(removed + word);
  }
};

/// Nothing is known but that the rows which are no candidates are removed. A barrier must follow.
__device__ inline void forget(Knowledge& knowledge, const Columns& columns, unsigned rows) {
  const unsigned groups = rows / 32;
  for (unsigned word = warp_id(); word < kMaxWords; word += kWarps) {
    const bool live = word < groups && is_valid_key(columns.keys[32 * word + lane_id()]);
    const unsigned undecided = __ballot_sync(kAllLanes, live);
    if (lane_id() != 0) continue;
    knowledge.kept[word] = 0;
    knowledge.removed[word] = word < groups ? ~undecided : 0;
    if (word >= groups) continue;
    knowledge.undecided[word] = undecided;
    knowledge.waiting[word] = ~0ULL;
  }
  if (threadIdx.x == 0) {
    knowledge.open_groups = groups;
    knowledge.bailed = false;
  }
}

/// What a row's suppressors outside its own group say.
struct Verdict {
  bool falls = false;
  bool waits = false;
};

/// Asks all words that the group still waits for, and remembers those that it must ask again.
template <bool kAnyStronger>
__device__ Verdict ask_others(Knowledge& knowledge, const std::uint32_t* bits, unsigned rows,
                              unsigned words, unsigned group, bool undecided) {
  const unsigned row = 32 * group + lane_id();
  const unsigned long long waiting = knowledge.waiting[group];
  unsigned long long still_waiting = 0;
  Verdict verdict;
#pragma unroll 4
  for (unsigned word = 0; word < words; ++word) {
    if (word == group || ((waiting >> word) & 1) == 0) continue;
    const std::uint32_t suppressors = undecided ? bits[word * rows + row] : 0;
    if constexpr (kAnyStronger) {
      verdict.falls |= suppressors != 0;
      continue;
    }
    const std::uint32_t pending = suppressors & ~knowledge.known_removed(word);
    verdict.falls |= (pending & knowledge.known_kept(word)) != 0;
    verdict.waits |= pending != 0;
    if (__any_sync(kAllLanes, pending != 0)) still_waiting |= 1ULL << word;
  }
  __syncwarp();
  if (lane_id() == 0) knowledge.waiting[group] = still_waiting;
  return verdict;
}

/// Decides what can be decided of a group of 32 rows, by the warp that owns it.
template <bool kAnyStronger>
__device__ void decide_group(Knowledge& knowledge, const Columns& columns,
                             const std::uint32_t* bits, unsigned rows, unsigned words,
                             unsigned group, const States* states) {
  const unsigned before = knowledge.undecided[group];
  if (before == 0) return;
  unsigned undecided = before;
  const unsigned me = 1U << lane_id();
  const Verdict others =
      ask_others<kAnyStronger>(knowledge, bits, rows, words, group, (undecided & me) != 0);
  const std::uint32_t own = bits[group * rows + 32 * group + lane_id()];
  std::uint32_t kept = knowledge.kept[group];
  std::uint32_t removed = knowledge.removed[group];
  while (undecided != 0) {
    const bool falls = others.falls || (own & (kAnyStronger ? ~0U : kept)) != 0;
    const bool stands = !others.waits && (own & ~removed) == 0;
    const std::uint32_t fall = __ballot_sync(kAllLanes, falls) & undecided;
    const std::uint32_t stand = __ballot_sync(kAllLanes, stands && !falls) & undecided;
    if ((fall | stand) == 0) break;
    kept |= stand;
    removed |= fall;
    undecided &= ~(fall | stand);
  }
  if (undecided == before) return;
  if (states != nullptr && (before & ~undecided & me) != 0)
    states->publish(index_of(columns.keys[32 * group + lane_id()]),
                    (kept & me) != 0 ? kKept : kRemoved);
  if (lane_id() == 0) {
    atomicExch(knowledge.kept + group, kept);
    atomicExch(knowledge.removed + group, removed);
    knowledge.undecided[group] = undecided;
    if (undecided == 0) atomicSub(&knowledge.open_groups, 1U);
  }
  __syncwarp();
}

/// Looks what other CTAs have decided about this warp's words of columns [rows, end), up to four words
/// at a time.
__device__ inline void poll_others(Knowledge& knowledge, const Columns& columns, unsigned rows,
                                   unsigned end, const States& states) {
  // From the last warp on: the first ones have rows to decide.
  const unsigned first = rows / 32 + (kWarps - 1 - warp_id());
  State seen[kMaxWords / kWarps];
#pragma unroll
  for (unsigned q = 0; q < kMaxWords / kWarps; ++q) {
    const unsigned word = first + q * kWarps;
    const unsigned column = 32 * word + lane_id();
    seen[q] = kUndecided;
    if (column < end && ((knowledge.kept[word] | knowledge.removed[word]) >> lane_id() & 1) == 0)
      seen[q] = states.read(index_of(columns.keys[column]));
  }
#pragma unroll
  for (unsigned q = 0; q < kMaxWords / kWarps; ++q) {
    const unsigned word = first + q * kWarps;
    const unsigned kept = __ballot_sync(kAllLanes, seen[q] == kKept);
    const unsigned removed = __ballot_sync(kAllLanes, seen[q] == kRemoved);
    if (lane_id() == 0 && (kept | removed) != 0) {
      atomicOr(knowledge.kept + word, kept);
      atomicOr(knowledge.removed + word, removed);
    }
  }
  __syncwarp();
}

/// Rows that are no candidates, but not those that only fill up.
__device__ inline void publish_invalid(const Columns& columns, unsigned rows, const States& states) {
  for (unsigned row = threadIdx.x; row < rows; row += kThreads) {
    const std::uint64_t key = columns.keys[row];
    if (!is_valid_key(key) && key != 0) states.publish(index_of(key), kRemoved);
  }
}

/// Decides and publishes all rows, all warps together. False if some CTA gave up, by `bail` being the
/// tag. Begins and ends with a barrier.
template <bool kAnyStronger>
__device__ bool decide_rows(Knowledge& knowledge, const Columns& columns, const std::uint32_t* bits,
                            unsigned rows, unsigned end, const States& states,
                            const std::uint32_t* bail) {
  __syncthreads();
  publish_invalid(columns, rows, states);
  const unsigned words = (end + 31) / 32;
  const bool polls = !kAnyStronger && end > rows;
  for (SpinLimit spins;; spins.count()) {
    for (unsigned group = warp_id(); group < rows / 32; group += kWarps)
      decide_group<kAnyStronger>(knowledge, columns, bits, rows, words, group, &states);
    if (*static_cast<volatile unsigned*>(&knowledge.open_groups) == 0) break;
    if (*static_cast<volatile bool*>(&knowledge.bailed)) break;
    if (!polls) continue;
    poll_others(knowledge, columns, rows, end, states);
    if (threadIdx.x == kThreads - 1 && shared_load(bail) == states.tag) knowledge.bailed = true;
  }
  __syncthreads();
  return knowledge.open_groups == 0;
}

/// The same where the columns are the rows and nobody else needs to know.
__device__ inline void decide_among_themselves(Knowledge& knowledge, const Columns& columns,
                                               const std::uint32_t* bits, unsigned rows) {
  __syncthreads();
  for (SpinLimit spins; *static_cast<volatile unsigned*>(&knowledge.open_groups) != 0; spins.count())
    for (unsigned group = warp_id(); group < rows / 32; group += kWarps)
      decide_group<false>(knowledge, columns, bits, rows, rows / 32, group, nullptr);
  __syncthreads();
}

}  // namespace facepipe::nms
