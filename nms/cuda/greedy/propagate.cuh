// Decides the rows of a thread block's suppression matrix. See Note [Propagation].
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy/decisions.cuh"

namespace facepipe::nms {

// Note [Propagation]
// ~~~~~~~~~~~~~~~~~~
// The suppressors of a candidate are the candidates that outrank and suppress it. A candidate is
// removed as soon as one of its suppressors is known to be kept. It is kept as soon as all of its
// suppressors are known to be removed. Decisions never change, and a suppressor always outranks the
// candidate that it suppresses. So the highest ranked undecided candidate can always be decided.
// Propagation ends with the result of greedy suppression, and the order in which warps learn of
// decisions doesn't matter. Warps need no common rounds.
//
// A warp decides 32 rows. It spreads decisions among these rows by ballots, and it polls decisions
// about columns of other warps and blocks. The warp that takes a decision publishes it once, and
// the warps that depend on it read it. Between blocks, a decision is a word in global memory, which
// stays in L2 (PublishedStates). For a batch (Note [Ranked batches]), it is a bit in shared memory.
//
// Columns are polled 32 at a time; 32 columns are a word of the matrix. The undecided suppressors
// of 32 rows seldom lie in more than 8 words. The warp keeps a list of these words, and polling a
// word then takes one load and two ballots. While there are more than 8 words, the warp polls all
// words of its rows.

/// Holds the 32 rows that a warp decides, and what the warp knows about them. Lane l has row 32 *
/// row_word + l. `undecided`, `kept` and `removed` have a bit for each row and are equal in all
/// lanes. `key`, `inner`, `suppressed` and `waits` are about the lane's own row.
struct WarpRows {
  unsigned row_word;
  std::uint64_t key;
  std::uint32_t inner;  ///< suppressors of the row among the 32 rows
  unsigned undecided, kept, removed;
  bool suppressed;  ///< a suppressor outside of the 32 rows is known to be kept
  bool waits;       ///< a suppressor outside of the 32 rows is not known to be removed

  [[nodiscard]] __device__ __forceinline__ bool mine(unsigned mask) const {
    return (mask >> lane_id() & 1) != 0;
  }
};

/// Loads the rows of a row word. Rows of invalid candidates, and rows after the last row, count as
/// removed from the start.
__device__ __forceinline__ WarpRows load_warp_rows(const SuppressionMatrix& matrix,
                                                   unsigned row_word) {
  WarpRows rows;
  rows.row_word = row_word;
  rows.key = matrix.columns.key(32 * row_word + lane_id());
  rows.inner = matrix.suppressors(row_word, row_word);
  rows.undecided = __ballot_sync(kAllLanes, is_valid_key(rows.key));
  rows.kept = 0;
  rows.removed = ~rows.undecided;
  rows.suppressed = false;
  rows.waits = false;
  return rows;
}

/// Decides all rows that can be decided by what the warp knows, and publishes these decisions.
template <class Decisions>
__device__ __forceinline__ void propagate(WarpRows& rows, const Decisions& decisions) {
  const unsigned before = rows.undecided;
  // Removals come first: a row that is removed now may be the last undecided suppressor of another
  // of the 32 rows.
  rows.removed |= __ballot_sync(kAllLanes, rows.suppressed) & rows.undecided;
  rows.undecided &= ~rows.removed;
  while (rows.undecided != 0) {
    const bool is_kept = !rows.waits && (rows.inner & ~rows.removed) == 0;
    const unsigned newly_kept = __ballot_sync(kAllLanes, is_kept) & rows.undecided;
    if (newly_kept == 0) break;
    rows.kept |= newly_kept;
    rows.undecided &= ~newly_kept;
    const unsigned newly_removed =
        __ballot_sync(kAllLanes, (rows.inner & newly_kept) != 0) & rows.undecided;
    rows.removed |= newly_removed;
    rows.undecided &= ~newly_removed;
  }
  if (before != rows.undecided)
    decisions.publish(rows.row_word, rows.key, before & ~rows.undecided, rows.kept);
}

inline constexpr unsigned kListedWords = 8;

/// Lists the column words that hold undecided suppressors of a warp's rows.
struct DependencyList {
  /// The undecided suppressors of the lane's row, a bit for each column.
  std::uint32_t pending[kListedWords] = {};
  unsigned words[kListedWords] = {};
  unsigned size = 0;  ///< kListedWords + 1 if there are more words than the list can hold

  [[nodiscard]] __device__ __forceinline__ bool fits() const { return size <= kListedWords; }

  __device__ __forceinline__ void add(std::uint32_t suppressors, unsigned word) {
#pragma unroll
    for (unsigned l = 0; l < kListedWords; ++l) {
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

/// Returns whether the lane's row has suppressors outside of the warp's 32 rows.
__device__ __forceinline__ bool has_outside_suppressors(const SuppressionMatrix& matrix,
                                                        const WarpRows& rows) {
  std::uint32_t any = 0;
#pragma unroll 4
  for (unsigned word = 0; word < matrix.column_words(); ++word)
    any |= word == rows.row_word ? 0 : matrix.suppressors(word, rows.row_word);
  return any != 0;
}

/// Returns the words that hold suppressors of undecided rows, outside of the warp's 32 rows. If
/// there are more than the list can hold, the list is incomplete and fits() is false.
__device__ __forceinline__ DependencyList list_dependencies(const SuppressionMatrix& matrix,
                                                            const WarpRows& rows) {
  DependencyList list;
  const bool undecided = rows.mine(rows.undecided);
#pragma unroll 2
  for (unsigned word = 0; word < matrix.column_words(); ++word) {
    if (!list.fits()) break;
    std::uint32_t suppressors = 0;
    if (undecided && word != rows.row_word) suppressors = matrix.suppressors(word, rows.row_word);
    if (__any_sync(kAllLanes, suppressors != 0) != 0) list.add(suppressors, word);
  }
  return list;
}

/// Holds the decisions about the 32 columns of a word, a bit for each column.
struct WordStates {
  unsigned kept, removed;
};
/// Returns the decisions about the columns of a word. For the block's own columns, it reads them in
/// shared memory. For other columns, `raw` must be the published word of the lane's column.
template <class Decisions>
__device__ __forceinline__ WordStates word_states(const Decisions& decisions, unsigned word,
                                                  std::uint32_t raw) {
  if (word < decisions.own_words) return {decisions.own.kept[word], decisions.own.removed[word]};
  const CandidateState state = decisions.states.state_of(raw);
  return {__ballot_sync(kAllLanes, state == kKept), __ballot_sync(kAllLanes, state == kRemoved)};
}

/// Polls all words of the matrix once, with eight loads in flight. It is for rows whose suppressors
/// lie in too many words for a DependencyList. Clears the bits of removed suppressors in the
/// matrix. Returns the number of words that still hold undecided suppressors.
template <class Decisions>
__device__ __forceinline__ unsigned poll_all(const SuppressionMatrix& matrix, WarpRows& rows,
                                             const Decisions& decisions) {
  constexpr unsigned kPolled = 8;
  unsigned left = 0;
  rows.waits = false;
  const bool undecided = rows.mine(rows.undecided);
  for (unsigned first = 0; first < matrix.column_words(); first += kPolled) {
    std::uint32_t suppressors[kPolled];
    std::uint32_t raw[kPolled];
#pragma unroll
    for (unsigned j = 0; j < kPolled; ++j) {
      const unsigned word = first + j;
      suppressors[j] = 0;
      if (undecided && word < matrix.column_words() && word != rows.row_word)
        suppressors[j] = matrix.suppressors(word, rows.row_word);
      raw[j] = 0;
      if (rows.mine(warp_or(suppressors[j])) && word >= decisions.own_words)
        raw[j] = decisions.states.load(decisions.candidate_of(32 * word + lane_id()));
    }
#pragma unroll
    for (unsigned j = 0; j < kPolled; ++j) {
      const WordStates seen = word_states(decisions, first + j, raw[j]);
      if ((suppressors[j] & seen.kept) != 0) rows.suppressed = true;
      if ((suppressors[j] & seen.removed) != 0)
        matrix.suppressors(first + j, rows.row_word) = suppressors[j] & ~seen.removed;
      suppressors[j] &= ~seen.removed;
      rows.waits |= suppressors[j] != 0;
      left += __any_sync(kAllLanes, suppressors[j] != 0) != 0 ? 1 : 0;
    }
  }
  return left;
}

/// Polls the words of the list once. indices[l] is the candidate of the lane's column in word l.
template <class Decisions>
__device__ __forceinline__ void poll_listed(DependencyList& list,
                                            const unsigned (&indices)[kListedWords], WarpRows& rows,
                                            const Decisions& decisions) {
  std::uint32_t raw[kListedWords];
#pragma unroll
  for (unsigned l = 0; l < kListedWords; ++l) {
    if (l >= list.size) break;
    raw[l] = 0;
    if (list.words[l] < decisions.own_words) continue;
    const unsigned needed = warp_or(rows.mine(rows.undecided) ? list.pending[l] : 0);
    if (rows.mine(needed)) raw[l] = decisions.states.load(indices[l]);
  }
  rows.waits = false;
#pragma unroll
  for (unsigned l = 0; l < kListedWords; ++l) {
    if (l >= list.size) break;
    const WordStates seen = word_states(decisions, list.words[l], raw[l]);
    rows.suppressed |= (list.pending[l] & seen.kept) != 0;
    list.pending[l] &= ~seen.removed;
    rows.waits |= list.pending[l] != 0;
  }
}

/// Decides the 32 rows of a row word. Rows are still undecided on return only if a block has
/// requested the fallback.
template <class Decisions>
__device__ __forceinline__ WarpRows decide_warp_rows(const SuppressionMatrix& matrix,
                                                     unsigned row_word,
                                                     const Decisions& decisions) {
  WarpRows rows = load_warp_rows(matrix, row_word);
  DependencyList list = list_dependencies(matrix, rows);
  rows.waits = list.fits() ? list.any() : has_outside_suppressors(matrix, rows);
  // Most rows have no suppressors outside of the warp's rows, and other warps wait for these rows.
  propagate(rows, decisions);
  if (rows.undecided == 0) return rows;
  if (!list.fits()) {
    unsigned left = list.size;
    for (SpinLimit spins; left > kListedWords; spins.count()) {
      left = poll_all(matrix, rows, decisions);
      propagate(rows, decisions);
      if (rows.undecided == 0 || (spins.seldom() && decisions.fallback_requested())) return rows;
    }
    list = list_dependencies(matrix, rows);
  }
  unsigned indices[kListedWords];
#pragma unroll
  for (unsigned l = 0; l < kListedWords; ++l)
    indices[l] = l < list.size ? decisions.candidate_of(32 * list.words[l] + lane_id()) : 0;
  for (SpinLimit spins; rows.undecided != 0; spins.count()) {
    poll_listed(list, indices, rows, decisions);
    propagate(rows, decisions);
    if (spins.seldom() && decisions.fallback_requested()) break;
  }
  return rows;
}

/// Decides the 32 rows of a row word by the rule `fast`: any suppressor removes a row.
template <class Decisions>
__device__ __forceinline__ WarpRows decide_by_any_suppressor(const SuppressionMatrix& matrix,
                                                             unsigned row_word,
                                                             const Decisions& decisions) {
  WarpRows rows = load_warp_rows(matrix, row_word);
  std::uint32_t suppressors = 0;
#pragma unroll 4
  for (unsigned word = 0; word < matrix.column_words(); ++word)
    suppressors |= matrix.suppressors(word, row_word);
  rows.kept = __ballot_sync(kAllLanes, suppressors == 0) & rows.undecided;
  decisions.publish(row_word, rows.key, rows.undecided, rows.kept);
  rows.undecided = 0;
  return rows;
}

/// Publishes the rows of invalid candidates as removed. Rows after the last row have no candidate,
/// so they aren't published.
__device__ __forceinline__ void publish_invalid(const SuppressionMatrix& matrix,
                                                const WarpRows& rows,
                                                const PublishedStates& states) {
  if (32 * rows.row_word + lane_id() < matrix.rows && !is_valid_key(rows.key))
    states.publish(index_of(rows.key), kRemoved);
}

}  // namespace facepipe::nms
