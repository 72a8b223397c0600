// Deciding a CTA's rows by rounds. See Note [Rounds].
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy/board.cuh"

namespace facepipe::nms {

// Note [Rounds]
// ~~~~~~~~~~~~~
// A candidate is removed as soon as one of its suppressors is known to be kept, and kept as soon as
// all of them are known to be removed. What is known only grows and each suppressor outranks what
// it suppresses, so in any order of updates this ends, with what greedy suppression keeps: the best
// one undecided can always be decided. So nobody waits for a round to end. A warp decides 32 rows,
// among themselves by ballots; for what its rows wait for elsewhere it looks at a board, on which
// the owner writes each decision once. The board of the grid is a word a candidate in L2, that of a
// strip (see Note [Sweep]) a few words in shared memory. What 32 rows wait for seldom lies in more
// than 8 words of columns. These are listed, and a look at the board is then, for each of them, one
// load and two ballots; as long as there are more, the warp goes over all words of the rows.

/// 32 rows as their warp knows them. Masks are the warp's, a bit a row; the rest is the lane's
/// row's.
struct Group {
  unsigned number;
  std::uint64_t key;
  std::uint32_t own;  ///< suppressors in the group
  unsigned undecided, kept, removed;
  bool falls, waits;  ///< by suppressors outside the group

  [[nodiscard]] __device__ __forceinline__ bool mine(unsigned mask) const {
    return (mask >> lane_id() & 1) != 0;
  }
};

/// Rows beyond the last are no candidates, as are the invalid ones among them.
__device__ __forceinline__ Group group_at(const Problem& problem, unsigned number) {
  Group group;
  group.number = number;
  group.key = problem.columns.key(32 * number + lane_id());
  group.own = problem.suppressors(number, number);
  group.undecided = __ballot_sync(kAllLanes, is_valid_key(group.key));
  group.kept = 0;
  group.removed = ~group.undecided;
  group.falls = false;
  group.waits = false;
  return group;
}

/// Decides what follows within the group, and publishes it.
template <class Board>
__device__ __forceinline__ void settle(Group& group, const Board& board) {
  const unsigned before = group.undecided;
  // Falls first: who falls to the kept ones of the last turn lets others stand in this one.
  group.removed |= __ballot_sync(kAllLanes, group.falls) & group.undecided;
  group.undecided &= ~group.removed;
  while (group.undecided != 0) {
    const bool stands = !group.waits && (group.own & ~group.removed) == 0;
    const unsigned stand = __ballot_sync(kAllLanes, stands) & group.undecided;
    if (stand == 0) break;
    group.kept |= stand;
    group.undecided &= ~stand;
    const unsigned fall = __ballot_sync(kAllLanes, (group.own & stand) != 0) & group.undecided;
    group.removed |= fall;
    group.undecided &= ~fall;
  }
  if (before != group.undecided)
    board.publish(group.number, group.key, before & ~group.undecided, group.kept);
}

inline constexpr unsigned kListed = 8;

/// The words whose columns undecided rows wait for.
struct WaitingList {
  std::uint32_t pending[kListed] = {};  ///< of the lane's row
  unsigned words[kListed] = {};
  unsigned size = 0;  ///< of a list that has no room for all, one more than there is room for

  [[nodiscard]] __device__ __forceinline__ bool fits() const { return size <= kListed; }

  __device__ __forceinline__ void add(std::uint32_t suppressors, unsigned word) {
#pragma unroll
    for (unsigned l = 0; l < kListed; ++l) {
      if (l != size) continue;
      pending[l] = suppressors;
      words[l] = word;
    }
    ++size;
  }
  [[nodiscard]] __device__ __forceinline__ bool any() const {
    std::uint32_t all = 0;
#pragma unroll
    for (const std::uint32_t word : pending) all |= word;
    return all != 0;
  }
};

/// Whether the lane's row has suppressors outside its group.
__device__ __forceinline__ bool has_others(const Problem& problem, const Group& group) {
  std::uint32_t any = 0;
#pragma unroll 4
  for (unsigned word = 0; word < problem.words(); ++word)
    any |= word == group.number ? 0 : problem.suppressors(word, group.number);
  return any != 0;
}

/// The list of all words that undecided rows wait for, as far as there is room.
__device__ __forceinline__ WaitingList list_words(const Problem& problem, const Group& group) {
  WaitingList list;
  const bool undecided = group.mine(group.undecided);
#pragma unroll 2
  for (unsigned word = 0; word < problem.words(); ++word) {
    if (!list.fits()) break;
    std::uint32_t suppressors = 0;
    if (undecided && word != group.number) suppressors = problem.suppressors(word, group.number);
    if (__any_sync(kAllLanes, suppressors != 0) != 0) list.add(suppressors, word);
  }
  return list;
}

/// What the board tells of the 32 columns of a word; raw is what the lane found for its column
/// where they are another CTA's.
struct Seen {
  unsigned kept, removed;
};
template <class Board>
__device__ __forceinline__ Seen seen_of(const Board& board, unsigned word, std::uint32_t raw) {
  if (word < board.own_words) return {board.own.kept[word], board.own.removed[word]};
  const State state = board.states.state(raw);
  return {__ballot_sync(kAllLanes, state == kKept), __ballot_sync(kAllLanes, state == kRemoved)};
}

/// One look at the board for each word, eight at once, where there are too many to list. Rows
/// forget suppressors that are removed. Returns how many words are waited for still.
template <class Board>
__device__ __forceinline__ unsigned ask_all(const Problem& problem, Group& group,
                                            const Board& board) {
  constexpr unsigned kAsked = 8;
  unsigned left = 0;
  group.waits = false;
  const bool undecided = group.mine(group.undecided);
  for (unsigned first = 0; first < problem.words(); first += kAsked) {
    std::uint32_t suppressors[kAsked];
    std::uint32_t raw[kAsked];
#pragma unroll
    for (unsigned j = 0; j < kAsked; ++j) {
      const unsigned word = first + j;
      suppressors[j] = 0;
      if (undecided && word < problem.words() && word != group.number)
        suppressors[j] = problem.suppressors(word, group.number);
      raw[j] = 0;
      if (group.mine(warp_or(suppressors[j])) && word >= board.own_words)
        raw[j] = board.states.look(board.index_of(32 * word + lane_id()));
    }
#pragma unroll
    for (unsigned j = 0; j < kAsked; ++j) {
      const Seen seen = seen_of(board, first + j, raw[j]);
      if ((suppressors[j] & seen.kept) != 0) group.falls = true;
      if ((suppressors[j] & seen.removed) != 0)
        problem.suppressors(first + j, group.number) = suppressors[j] & ~seen.removed;
      suppressors[j] &= ~seen.removed;
      group.waits |= suppressors[j] != 0;
      left += __any_sync(kAllLanes, suppressors[j] != 0) != 0 ? 1 : 0;
    }
  }
  return left;
}

/// One look at the board for all columns on the list; `indices` are those of others' columns.
template <class Board>
__device__ __forceinline__ void ask_listed(WaitingList& list, const unsigned (&indices)[kListed],
                                           Group& group, const Board& board) {
  std::uint32_t raw[kListed];
#pragma unroll
  for (unsigned l = 0; l < kListed; ++l) {
    if (l >= list.size) break;
    raw[l] = 0;
    if (list.words[l] < board.own_words) continue;
    const unsigned needed = warp_or(group.mine(group.undecided) ? list.pending[l] : 0);
    if (group.mine(needed)) raw[l] = board.states.look(indices[l]);
  }
  group.waits = false;
#pragma unroll
  for (unsigned l = 0; l < kListed; ++l) {
    if (l >= list.size) break;
    const Seen seen = seen_of(board, list.words[l], raw[l]);
    group.falls |= (list.pending[l] & seen.kept) != 0;
    list.pending[l] &= ~seen.removed;
    group.waits |= list.pending[l] != 0;
  }
}

/// Decides a group of 32 rows. Rows are undecided still if some CTA gave up.
template <class Board>
__device__ __forceinline__ Group decide_group(const Problem& problem, unsigned number,
                                              const Board& board) {
  Group group = group_at(problem, number);
  WaitingList list = list_words(problem, group);
  group.waits = list.fits() ? list.any() : has_others(problem, group);
  settle(group, board);  // most rows wait for no other, and others wait for them
  if (group.undecided == 0) return group;
  if (!list.fits()) {
    unsigned left = list.size;
    for (SpinLimit spins; left > kListed; spins.count()) {
      left = ask_all(problem, group, board);
      settle(group, board);
      if (group.undecided == 0 || (spins.seldom() && board.given_up())) return group;
    }
    list = list_words(problem, group);
  }
  unsigned indices[kListed];
#pragma unroll
  for (unsigned l = 0; l < kListed; ++l)
    indices[l] = l < list.size ? board.index_of(32 * list.words[l] + lane_id()) : 0;
  for (SpinLimit spins; group.undecided != 0; spins.count()) {
    ask_listed(list, indices, group, board);
    settle(group, board);
    if (spins.seldom() && board.given_up()) break;
  }
  return group;
}

/// The rule fast: a row falls to any suppressor.
template <class Board>
__device__ __forceinline__ Group decide_by_any(const Problem& problem, unsigned number,
                                               const Board& board) {
  Group group = group_at(problem, number);
  std::uint32_t suppressors = 0;
#pragma unroll 4
  for (unsigned word = 0; word < problem.words(); ++word)
    suppressors |= problem.suppressors(word, number);
  group.kept = __ballot_sync(kAllLanes, suppressors == 0) & group.undecided;
  board.publish(number, group.key, group.undecided, group.kept);
  group.undecided = 0;
  return group;
}

/// Rows of the group that are no candidates, but not those that only fill it up.
__device__ __forceinline__ void publish_invalid(const Problem& problem, const Group& group,
                                                const States& states) {
  if (32 * group.number + lane_id() < problem.rows && !is_valid_key(group.key))
    states.publish(index_of(group.key), kRemoved);
}

}  // namespace facepipe::nms
