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
// undecided can always be decided. So nobody waits for a round to end. A warp decides 32 rows, among
// themselves by ballots; for what its rows wait for elsewhere it looks at a board, on which the owner
// writes each decision once. The board of the grid is a word a candidate in L2, that of a strip (see
// Note [Sweep]) a few words in shared memory.
// What 32 rows wait for is seldom more than 32 columns. These become a list, a column a lane, and what
// a row waits for becomes one word: a look at the board is then one load and two ballots. Before, the
// warp goes over all words of the rows, as often as it takes.

inline constexpr unsigned kMaxRows = 512;
inline constexpr unsigned kMaxGroups = kMaxRows / 32;
static_assert(kMaxGroups <= kWarps);  // a warp for each, so that none waits for its own later ones
inline constexpr unsigned kMaxColumns = 4096 + 64;

enum State : std::uint32_t { kUndecided = 0, kKept = 1, kRemoved = 2 };

// Note [Tags]
// ~~~~~~~~~~~
// A state in L2 is current if its upper 30 bits are the launch's tag, so nothing is cleared between
// launches. The tag counts launches, modulo 2^24 at most, so a word written that many launches ago and
// never since would look current. Each launch therefore clears the words beyond its count whose number
// is, modulo 4,096, its tag: none gets older than 4,096 launches.
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

/// The board of the grid, and the flag by which CTAs give up, if any can.
struct GridBoard {
  const Columns& columns;
  States states;
  const std::uint32_t* bail;

  using Place = unsigned;  // a candidate's index
  [[nodiscard]] __device__ __forceinline__ Place place_of(unsigned column) const {
    return columns.index(column);
  }
  [[nodiscard]] __device__ __forceinline__ State read(Place place) const {
    return states.read(place);
  }
  __device__ __forceinline__ void publish(unsigned, std::uint64_t key, unsigned decided,
                                          unsigned kept) const {
    if ((decided >> lane_id() & 1) != 0)
      states.publish(index_of(key), (kept >> lane_id() & 1) != 0 ? kKept : kRemoved);
  }
  [[nodiscard]] __device__ __forceinline__ bool given_up() const {
    return bail != nullptr && shared_load(bail) == states.tag;
  }
};

/// 32 rows as their warp knows them. Masks are the warp's, a bit a row; the rest is the lane's row's.
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
  while (group.undecided != 0) {
    const bool falls = group.falls || (group.own & group.kept) != 0;
    const bool stands = !falls && !group.waits && (group.own & ~group.removed) == 0;
    const unsigned fall = __ballot_sync(kAllLanes, falls) & group.undecided;
    const unsigned stand = __ballot_sync(kAllLanes, stands) & group.undecided;
    if ((fall | stand) == 0) break;
    group.kept |= stand;
    group.removed |= fall;
    group.undecided &= ~(fall | stand);
  }
  if (before != group.undecided)
    board.publish(group.number, group.key, before & ~group.undecided, group.kept);
}

/// The columns that undecided rows wait for, a lane each.
template <class Board>
struct WaitingList {
  std::uint32_t pending = 0;  ///< of the lane's row
  typename Board::Place place{};
  unsigned size = 0;

  __device__ __forceinline__ void add(std::uint32_t suppressors, unsigned word, const Board& board) {
    for (unsigned needed = warp_or(suppressors); needed != 0; needed &= needed - 1, ++size) {
      if (size >= 32) continue;
      const unsigned bit = static_cast<unsigned>(__ffs(static_cast<int>(needed))) - 1;
      pending |= (suppressors >> bit & 1) << size;
      if (lane_id() == size) place = board.place_of(32 * word + bit);
    }
  }
};

/// One look at the board for each word, where there are too many columns to list. Rows forget
/// suppressors that are removed. Returns the list of those that are left, if they fit.
template <class Board>
__device__ __forceinline__ WaitingList<Board> ask_all(const Problem& problem, Group& group,
                                                      const Board& board) {
  WaitingList<Board> list;
  group.waits = false;
#pragma unroll 4
  for (unsigned word = 0; word < problem.words(); ++word) {
    if (word == group.number) continue;
    std::uint32_t suppressors =
        group.mine(group.undecided) ? problem.suppressors(word, group.number) : 0;
    const unsigned needed = warp_or(suppressors);
    State seen = kUndecided;
    if (group.mine(needed)) seen = board.read(board.place_of(32 * word + lane_id()));
    const unsigned kept = __ballot_sync(kAllLanes, seen == kKept);
    const unsigned removed = __ballot_sync(kAllLanes, seen == kRemoved);
    if ((suppressors & kept) != 0) group.falls = true;
    if ((suppressors & removed) != 0) problem.suppressors(word, group.number) &= ~removed;
    suppressors &= ~removed;
    group.waits |= suppressors != 0;
    list.add(suppressors, word, board);
  }
  return list;
}

/// The list of all columns that rows wait for at the beginning.
template <class Board>
__device__ __forceinline__ WaitingList<Board> list_all(const Problem& problem, const Group& group,
                                                       const Board& board) {
  WaitingList<Board> list;
#pragma unroll 4
  for (unsigned word = 0; word < problem.words(); ++word)
    if (word != group.number)
      list.add(group.mine(group.undecided) ? problem.suppressors(word, group.number) : 0, word,
               board);
  return list;
}

/// Decides a group of 32 rows. Rows are undecided still if some CTA gave up.
template <class Board>
__device__ __forceinline__ Group decide_group(const Problem& problem, unsigned number,
                                              const Board& board) {
  Group group = group_at(problem, number);
  WaitingList<Board> list = list_all(problem, group, board);
  if (list.size > 32) {
    // Not on the list, so not in `pending`: all rows with suppressors elsewhere must wait.
    group.waits = true;
    for (SpinLimit spins; list.size > 32 && group.undecided != 0; spins.count()) {
      list = ask_all(problem, group, board);
      settle(group, board);
      if (spins.seldom() && board.given_up()) return group;
    }
  }
  group.waits = list.pending != 0;
  for (SpinLimit spins;; spins.count()) {
    settle(group, board);
    if (group.undecided == 0) break;
    const unsigned needed = warp_or(group.mine(group.undecided) ? list.pending : 0);
    State seen = kUndecided;
    if (group.mine(needed)) seen = board.read(list.place);
    const unsigned kept = __ballot_sync(kAllLanes, seen == kKept);
    const unsigned removed = __ballot_sync(kAllLanes, seen == kRemoved);
    group.falls |= (list.pending & kept) != 0;
    list.pending &= ~removed;
    group.waits = list.pending != 0;
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
