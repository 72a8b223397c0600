// Deciding a CTA's rows by rounds. See Note [Rounds].
#pragma once

#include <cstdint>

#include "nms/cuda/columns.cuh"
#include "nms/cuda/device.cuh"

namespace facepipe::nms {

// Note [Rounds]
// ~~~~~~~~~~~~~
// A candidate is removed as soon as one of its suppressors is known to be kept, and kept as soon as
// all of them are known to be removed. What is known only grows and each suppressor outranks what
// it suppresses, so in any order of updates this ends, with what greedy suppression keeps: the best
// one undecided can always be decided. So nobody waits for a round to end. A warp decides 32 rows,
// among themselves by ballots; for what its rows wait for elsewhere it looks at a board, on which
// the owner writes each decision once. The board of the grid is a word a candidate in L2, that of a
// strip (see Note [Sweep]) a few words in shared memory. What 32 rows wait for is seldom more than
// 32 columns. These become a list, a column a lane, and what a row waits for becomes one word: a
// look at the board is then one load and two ballots. Four such lists do for nearly all crowds; as
// long as there is more, the warp goes over all words of the rows.

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

/// What a CTA's own rows have come to, a bit each, where its warps see each other's.
struct OwnBoard {
  volatile std::uint32_t* kept;
  volatile std::uint32_t* removed;

  [[nodiscard]] __device__ __forceinline__ State read(unsigned row) const {
    if ((kept[row / 32] >> row % 32 & 1) != 0) return kKept;
    return (removed[row / 32] >> row % 32 & 1) != 0 ? kRemoved : kUndecided;
  }
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
  unsigned stride;  ///< columns before it are own rows
  OwnBoard own;
  States states;
  const std::uint32_t* bail;

  static constexpr unsigned kOwn = 0x80000000U;
  using Place = unsigned;  // an own row, or a candidate's index
  [[nodiscard]] __device__ __forceinline__ Place place_of(unsigned column) const {
    return column < stride ? column | kOwn : columns.index(column);
  }
  [[nodiscard]] __device__ __forceinline__ State read(Place place) const {
    return (place & kOwn) != 0 ? own.read(place & ~kOwn) : states.read(place);
  }
  __device__ __forceinline__ void publish(unsigned group, std::uint64_t key, unsigned decided,
                                          unsigned kept) const {
    if ((decided >> lane_id() & 1) != 0)
      states.publish(index_of(key), (kept >> lane_id() & 1) != 0 ? kKept : kRemoved);
    if (stride > 32) own.publish(group, decided, kept);
  }
  [[nodiscard]] __device__ __forceinline__ bool given_up() const {
    return bail != nullptr && shared_load(bail) == states.tag;
  }
};

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

inline constexpr unsigned kLists = 4;

/// The columns that undecided rows wait for, lists of 32, a column a lane.
template <class Board>
struct WaitingList {
  std::uint32_t pending[kLists] = {};  ///< of the lane's row
  unsigned columns[kLists] = {};
  unsigned size = 0;  ///< may be more than there is room for; then this is no list

  [[nodiscard]] __device__ __forceinline__ bool fits() const { return size <= 32 * kLists; }

  __device__ __forceinline__ void add(std::uint32_t suppressors, unsigned word) {
    for (unsigned needed = warp_or(suppressors); needed != 0; needed &= needed - 1, ++size) {
      const unsigned bit = static_cast<unsigned>(__ffs(static_cast<int>(needed))) - 1;
      const unsigned waits = (suppressors >> bit & 1) << size % 32;
#pragma unroll
      for (unsigned l = 0; l < kLists; ++l) {
        if (l != size / 32) continue;
        pending[l] |= waits;
        if (lane_id() == size % 32) columns[l] = 32 * word + bit;
      }
    }
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

/// The list of all columns that undecided rows wait for.
template <class Board>
__device__ __forceinline__ WaitingList<Board> list_all(const Problem& problem, const Group& group) {
  WaitingList<Board> list;
  const bool undecided = group.mine(group.undecided);
#pragma unroll 1
  for (unsigned word = 0; word < problem.words(); ++word)
    if (word != group.number)
      list.add(undecided ? problem.suppressors(word, group.number) : 0, word);
  return list;
}

/// One look at the board for each word, four at once, where there are too many columns to list.
/// Rows forget suppressors that are removed. Returns how many columns are waited for still.
template <class Board>
__device__ __forceinline__ unsigned ask_all(const Problem& problem, Group& group,
                                            const Board& board) {
  constexpr unsigned kAsked = 4;
  unsigned left = 0;
  group.waits = false;
  const bool undecided = group.mine(group.undecided);
  for (unsigned first = 0; first < problem.words(); first += kAsked) {
    std::uint32_t suppressors[kAsked];
    State seen[kAsked];
#pragma unroll
    for (unsigned j = 0; j < kAsked; ++j) {
      const unsigned word = first + j;
      suppressors[j] = 0;
      if (undecided && word < problem.words() && word != group.number)
        suppressors[j] = problem.suppressors(word, group.number);
      seen[j] = kUndecided;
      if (group.mine(warp_or(suppressors[j])))
        seen[j] = board.read(board.place_of(32 * word + lane_id()));
    }
#pragma unroll
    for (unsigned j = 0; j < kAsked; ++j) {
      const unsigned kept = __ballot_sync(kAllLanes, seen[j] == kKept);
      const unsigned removed = __ballot_sync(kAllLanes, seen[j] == kRemoved);
      if ((suppressors[j] & kept) != 0) group.falls = true;
      if ((suppressors[j] & removed) != 0)
        problem.suppressors(first + j, group.number) = suppressors[j] & ~removed;
      suppressors[j] &= ~removed;
      group.waits |= suppressors[j] != 0;
      left += static_cast<unsigned>(__popc(warp_or(suppressors[j])));
    }
  }
  return left;
}

/// One look at the board for all columns on the list.
template <class Board>
__device__ __forceinline__ void ask_listed(WaitingList<Board>& list,
                                           const typename Board::Place (&places)[kLists],
                                           Group& group, const Board& board) {
  State seen[kLists];
#pragma unroll
  for (unsigned l = 0; l < kLists; ++l) {
    seen[l] = kUndecided;
    if (32 * l >= list.size) continue;
    const unsigned needed = warp_or(group.mine(group.undecided) ? list.pending[l] : 0);
    if (group.mine(needed)) seen[l] = board.read(places[l]);
  }
  group.waits = false;
#pragma unroll
  for (unsigned l = 0; l < kLists; ++l) {
    if (32 * l >= list.size) continue;
    const unsigned kept = __ballot_sync(kAllLanes, seen[l] == kKept);
    const unsigned removed = __ballot_sync(kAllLanes, seen[l] == kRemoved);
    group.falls |= (list.pending[l] & kept) != 0;
    list.pending[l] &= ~removed;
    group.waits |= list.pending[l] != 0;
  }
}

/// Decides a group of 32 rows. Rows are undecided still if some CTA gave up.
template <class Board>
__device__ __forceinline__ Group decide_group(const Problem& problem, unsigned number,
                                              const Board& board) {
  Group group = group_at(problem, number);
  group.waits = has_others(problem, group);
  settle(group, board);  // most rows wait for no other, and others wait for them
  if (group.undecided == 0) return group;
  WaitingList<Board> list = list_all<Board>(problem, group);
  if (!list.fits()) {
    unsigned left = list.size;
    for (SpinLimit spins; left > 32 * kLists; spins.count()) {
      left = ask_all(problem, group, board);
      settle(group, board);
      if (group.undecided == 0 || (spins.seldom() && board.given_up())) return group;
    }
    list = list_all<Board>(problem, group);
  }
  typename Board::Place places[kLists];
#pragma unroll
  for (unsigned l = 0; l < kLists; ++l)
    places[l] = 32 * l + lane_id() < list.size ? board.place_of(list.columns[l]) : 0;
  for (SpinLimit spins; group.undecided != 0; spins.count()) {
    ask_listed(list, places, group, board);
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
