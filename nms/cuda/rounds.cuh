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

inline constexpr unsigned kMaxRows = 1024;
inline constexpr unsigned kMaxGroups = kMaxRows / 32;
inline constexpr unsigned kMaxColumns = 4096 + 64;
inline constexpr unsigned kMaxWords = kMaxColumns / 32;
inline constexpr unsigned kChunks = (kMaxWords + 31) / 32;  ///< of 32 words

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

/// Columns' fate as far as the CTA knows it, a bit a column.
struct Knowledge {
  std::uint32_t kept[kMaxWords];
  std::uint32_t removed[kMaxWords];
  std::uint32_t undecided[kMaxGroups];        ///< rows
  std::uint32_t waiting[kMaxGroups][kChunks];  ///< words with suppressors that a group waits for
  bool bailed;

  // Other warps' words, which change meanwhile.
  __device__ __forceinline__ std::uint32_t known_kept(unsigned word) const {
    return *const_cast<const volatile std::uint32_t*>(kept + word);
  }
  __device__ __forceinline__ std::uint32_t known_removed(unsigned word) const {
    return *const_cast<const volatile std::uint32_t*>(removed + word);
  }
  __device__ __forceinline__ void learn(unsigned word, unsigned more_kept, unsigned more_removed) {
    if (more_kept != 0) atomicOr(kept + word, more_kept);
    if (more_removed != 0) atomicOr(removed + word, more_removed);
  }
};

/// Nothing is known but that the rows which are no candidates are removed. A barrier must follow.
__device__ __forceinline__ void forget(Knowledge& knowledge, const Columns& columns, unsigned groups,
                              unsigned words) {
  for (unsigned word = warp_id(); word < words; word += kWarps) {
    const bool live = word < groups && is_valid_key(columns.key(32 * word + lane_id()));
    const unsigned undecided = __ballot_sync(kAllLanes, live);
    if (lane_id() == 0) {
      knowledge.kept[word] = 0;
      knowledge.removed[word] = word < groups ? ~undecided : 0;
      if (word < groups) knowledge.undecided[word] = undecided;
    }
    if (word < groups && lane_id() < kChunks) knowledge.waiting[word][lane_id()] = kAllLanes;
  }
  if (threadIdx.x == 0) knowledge.bailed = false;
}

/// A CTA's problem: rows [0, rows), in groups of 32, and the columns before `end`.
struct Problem {
  Columns columns;
  const std::uint32_t* bits;
  unsigned rows, end;

  [[nodiscard]] __device__ unsigned groups() const { return (rows + 31) / 32; }
  [[nodiscard]] __device__ unsigned stride() const { return 32 * groups(); }
  [[nodiscard]] __device__ unsigned words() const { return (end + 31) / 32; }
};

/// What a row's suppressors outside its own group say.
struct Verdict {
  bool falls = false;
  bool waits = false;
};

inline constexpr unsigned kAsked = 4;  ///< words at once, so that their loads overlap

/// Asks up to kAsked of the words that `asked` names, takes them out of it, and returns those that the
/// group must ask again.
__device__ __forceinline__ std::uint32_t ask_some(Knowledge& knowledge, const Problem& problem,
                                                  unsigned group, bool undecided, unsigned base,
                                                  std::uint32_t& asked, const States* polled,
                                                  Verdict& verdict) {
  unsigned words[kAsked];
  std::uint32_t bit[kAsked];
  std::uint32_t pending[kAsked];
  State seen[kAsked];
#pragma unroll
  for (unsigned j = 0; j < kAsked; ++j) {
    bit[j] = asked & (0U - asked);
    asked &= ~bit[j];
    words[j] = bit[j] != 0 ? base + __ffs(static_cast<int>(bit[j])) - 1 : group;
    pending[j] = 0;
    if (bit[j] != 0 && words[j] != group && undecided)
      pending[j] = problem.bits[words[j] * problem.stride() + 32 * group + lane_id()] &
                   ~knowledge.known_removed(words[j]);
  }
#pragma unroll
  for (unsigned j = 0; j < kAsked; ++j) {
    seen[j] = kUndecided;
    if (polled == nullptr || words[j] < problem.groups()) continue;
    const unsigned needed = warp_or(pending[j]);
    if ((needed >> lane_id() & 1) != 0)
      seen[j] = polled->read(problem.columns.index(32 * words[j] + lane_id()));
  }
  std::uint32_t again = 0;
#pragma unroll
  for (unsigned j = 0; j < kAsked; ++j) {
    if (polled != nullptr && words[j] >= problem.groups()) {
      const unsigned kept = __ballot_sync(kAllLanes, seen[j] == kKept);
      const unsigned removed = __ballot_sync(kAllLanes, seen[j] == kRemoved);
      if (lane_id() == 0) knowledge.learn(words[j], kept, removed);
      pending[j] &= ~removed;
      verdict.falls |= (pending[j] & kept) != 0;
    } else if (bit[j] != 0) {
      verdict.falls |= (pending[j] & knowledge.known_kept(words[j])) != 0;
    }
    verdict.waits |= pending[j] != 0;
    if (__any_sync(kAllLanes, pending[j] != 0)) again |= bit[j];
  }
  return again;
}

/// Asks all words that the group still waits for.
__device__ __forceinline__ Verdict ask_others(Knowledge& knowledge, const Problem& problem, unsigned group,
                                     bool undecided, const States* polled) {
  Verdict verdict;
  for (unsigned chunk = 0; 32 * chunk < problem.words(); ++chunk) {
    const unsigned left = problem.words() - 32 * chunk;
    std::uint32_t asked = knowledge.waiting[group][chunk] & (left < 32 ? (1U << left) - 1 : ~0U);
    std::uint32_t again = 0;
    while (asked != 0)
      again |= ask_some(knowledge, problem, group, undecided, 32 * chunk, asked, polled, verdict);
    __syncwarp();
    if (lane_id() == 0) knowledge.waiting[group][chunk] = again;
  }
  __syncwarp();
  return verdict;
}

/// Decides what can be decided of a group of 32 rows, by the warp that owns it; true once all is.
/// Others' states are asked for in `polled`, decisions go to `published`, if any.
__device__ __forceinline__ bool decide_group(Knowledge& knowledge, const Problem& problem, unsigned group,
                                    const States* polled, const States* published) {
  const unsigned before = knowledge.undecided[group];
  if (before == 0) return true;
  unsigned undecided = before;
  const unsigned me = 1U << lane_id();
  const Verdict others =
      ask_others(knowledge, problem, group, (undecided & me) != 0, polled);
  const unsigned row = 32 * group + lane_id();
  const std::uint32_t own = problem.bits[group * problem.stride() + row];
  std::uint32_t kept = knowledge.kept[group];
  std::uint32_t removed = knowledge.removed[group];
  while (undecided != 0) {
    const bool falls = others.falls || (own & kept) != 0;
    const bool stands = !others.waits && (own & ~removed) == 0;
    const std::uint32_t fall = __ballot_sync(kAllLanes, falls) & undecided;
    const std::uint32_t stand = __ballot_sync(kAllLanes, stands && !falls) & undecided;
    if ((fall | stand) == 0) break;
    kept |= stand;
    removed |= fall;
    undecided &= ~(fall | stand);
  }
  if (undecided == before) return false;
  if (published != nullptr && (before & ~undecided & me) != 0)
    published->publish(problem.columns.index(row), (kept & me) != 0 ? kKept : kRemoved);
  __syncwarp();
  if (lane_id() == 0) {
    atomicExch(knowledge.kept + group, kept);
    atomicExch(knowledge.removed + group, removed);
    knowledge.undecided[group] = undecided;
  }
  __syncwarp();
  return undecided == 0;
}

/// The rule fast: a row falls to any suppressor.
__device__ __forceinline__ void decide_by_any(Knowledge& knowledge, const Problem& problem, unsigned group,
                                     const States& states) {
  const unsigned row = 32 * group + lane_id();
  std::uint32_t suppressors = 0;
  for (unsigned word = 0; word < problem.words(); ++word)
    suppressors |= problem.bits[word * problem.stride() + row];
  const unsigned me = 1U << lane_id();
  const std::uint32_t live = knowledge.undecided[group];
  const unsigned kept = __ballot_sync(kAllLanes, suppressors == 0) & live;
  if ((live & me) != 0)
    states.publish(problem.columns.index(row), (kept & me) != 0 ? kKept : kRemoved);
  if (lane_id() == 0) knowledge.kept[group] = kept;
}

/// Rows that are no candidates.
__device__ __forceinline__ void publish_invalid(const Problem& problem, const States& states) {
  for (unsigned row = threadIdx.x; row < problem.rows; row += kThreads)
    if (!is_valid_key(problem.columns.key(row))) states.publish(problem.columns.index(row), kRemoved);
}

/// Decides and publishes all rows; a warp has each group of 32, the others wait, and leave it the
/// issue slots. False if some CTA gave up, by `bail` being the tag, where that can happen. Begins and ends
/// with a barrier.
__device__ __forceinline__ bool decide_rows(Knowledge& knowledge, const Problem& problem,
                                   const States& states, const std::uint32_t* bail) {
  __syncthreads();
  bool decided = true;
  if (warp_id() < problem.groups()) {
    // First without a look at others, whose words take their time to come.
    const States* polled = nullptr;
    for (SpinLimit spins;; spins.count()) {
      decided = true;
      for (unsigned group = warp_id(); group < problem.groups(); group += kWarps)
        decided &= decide_group(knowledge, problem, group, polled, &states);
      if (decided) break;
      if (bail != nullptr && spins.seldom() && shared_load(bail) == states.tag) break;
      polled = &states;
    }
  }
  publish_invalid(problem, states);
  return __syncthreads_and(decided) != 0;
}

/// The same where the columns are the rows and nobody else needs to know.
__device__ __forceinline__ void decide_among_themselves(Knowledge& knowledge, const Problem& problem) {
  __syncthreads();
  for (unsigned group = warp_id(); group < problem.groups(); group += kWarps)
    for (SpinLimit spins; !decide_group(knowledge, problem, group, nullptr, nullptr);) spins.count();
  __syncthreads();
}

}  // namespace facepipe::nms
