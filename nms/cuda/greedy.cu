// The rules greedy and fast: one cooperative kernel that reads the count and decides its way by it.
#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "core/cuda/check.h"
#include "nms/cuda/cells.cuh"
#include "nms/cuda/columns.cuh"
#include "nms/cuda/cooperative.h"
#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy.h"
#include "nms/cuda/overlaps.cuh"
#include "nms/cuda/ranking.cuh"
#include "nms/cuda/rounds.cuh"
#include "nms/cuda/sweep.cuh"

namespace facepipe::nms {
namespace {

// What order_own() needs lies where the counts by cell were.
constexpr unsigned kCountsBytes =
    std::max<std::size_t>(kCells * sizeof(unsigned), 4 * kMaxRows * sizeof(std::uint64_t));

struct Shared {
  alignas(16) Curve curve;
  float4 octets[kMaxRows / 8];
  float ranges[kWarps][4];
  ShareMemory share;
  std::uint32_t kept[kMaxGroups];  // own rows, or a strip's
  std::uint32_t removed[kMaxGroups];
  std::uint32_t tag;
  unsigned others;  // columns after the rows
  unsigned own;     // kept rows
  std::uint32_t arrived;
  bool bailed;
};

__device__ __forceinline__ Shared& shared_memory() {
  __shared__ Shared shared;
  return shared;
}

/// Everything of a CTA. kFits: all candidates fit shared memory, and no CTA can run out of room, so
/// none needs to ask if another has.
template <bool kFits>
struct Cta {
  const GreedyArguments& arguments;
  Shared& shared;
  unsigned n;
  unsigned* counts;  // by cell; later order_own's
  Columns columns;
  std::uint32_t* bits;

  [[nodiscard]] __device__ Meeting meeting() const { return {arguments.ticket_bits}; }
  [[nodiscard]] __device__ States states() const { return {arguments.scratch.states, shared.tag}; }
  [[nodiscard]] __device__ OwnOrder own_order() const {
    auto* const keys = reinterpret_cast<std::uint64_t*>(counts);
    return {keys, reinterpret_cast<unsigned*>(keys + 2 * kMaxRows), keys + 3 * kMaxRows, 0};
  }
  /// Cells of candidates, until there are bits: as many as there is room for.
  [[nodiscard]] __device__ std::uint16_t* cells() const {
    return reinterpret_cast<std::uint16_t*>(bits);
  }
  [[nodiscard]] __device__ unsigned cells_room() const { return 2 * arguments.limits.bit_words; }
  [[nodiscard]] static __device__ constexpr bool fits() { return kFits; }
  /// Rows that any CTA may own.
  [[nodiscard]] __device__ unsigned rows_limit() const {
    const GreedyLimits& limits = arguments.limits;
    if (!fits()) return min(kMaxRows, limits.columns / 2);
    return min(kMaxRows, limits.bit_words / (n / 32 + 3) / 32 * 32);
  }
  /// The slot that no candidate has.
  [[nodiscard]] __device__ unsigned empty_slot() const { return arguments.limits.columns - 1; }
};

__device__ __forceinline__ bool fits(const GreedyArguments& arguments, unsigned n) {
  return n + 64 <= arguments.limits.columns;
}

/// A CTA's memory is found anew wherever it is needed: pointers to it that went through a call
/// would no longer be known to be to shared memory.
template <bool kFits>
__device__ __forceinline__ Cta<kFits> cta_of(const GreedyArguments& arguments, unsigned n) {
  extern __shared__ uint4 memory[];
  const unsigned columns = arguments.limits.columns;
  auto* const counts = reinterpret_cast<unsigned*>(memory);
  auto* const boxes = reinterpret_cast<float4*>(counts + kCountsBytes / sizeof(unsigned));
  auto* const keys = reinterpret_cast<std::uint64_t*>(boxes + columns);
  auto* const slots = reinterpret_cast<std::uint16_t*>(keys + columns);
  return {arguments,
          shared_memory(),
          n,
          counts,
          Columns{{boxes, keys}, slots},
          reinterpret_cast<std::uint32_t*>(slots + columns)};
}

constexpr unsigned kAtOnce = 8;  // loads in flight

/// Takes all candidates into their slots, each thread every kThreads-th, and finds the range of the
/// first and the last ones: in raster order that is the whole range, in any other a good sample.
/// The first of each thread has been loaded before n was known.
template <bool kFits>
__device__ __forceinline__ float4 load_slots(const Cta<kFits>& cta, float4 first_box,
                                             float first_score) {
  const View& view = cta.arguments.view;
  const Slots& slots = cta.columns.slots;
  float4 last_box = empty_box();
  if (cta.n > kThreads) last_box = __ldg(view.boxes + cta.n - kThreads + threadIdx.x);
  for (unsigned first = kThreads + threadIdx.x; first < cta.n; first += kAtOnce * kThreads) {
    float4 boxes[kAtOnce];
    float scores[kAtOnce];
#pragma unroll
    for (unsigned q = 0; q < kAtOnce; ++q)
      if (const unsigned i = first + q * kThreads; i < cta.n) {
        boxes[q] = __ldg(view.boxes + i);
        scores[q] = __ldg(view.scores + i);
      }
#pragma unroll
    for (unsigned q = 0; q < kAtOnce; ++q)
      if (const unsigned i = first + q * kThreads; i < cta.n) slots.put(i, boxes[q], scores[q], i);
  }
  float4 range = empty_box();
  if (threadIdx.x < cta.n) {
    slots.put(threadIdx.x, first_box, first_score, threadIdx.x);
    widen(range, first_box);
  }
  widen(range, last_box);  // an empty one has no centre
  return range;
}

/// The range where there are more candidates than slots, by a sample.
template <bool kFits>
__device__ __forceinline__ float4 sample_range(const Cta<kFits>& cta) {
  float4 range = empty_box();
  widen(range, __ldg(cta.arguments.view.boxes +
                     static_cast<std::uint64_t>(threadIdx.x) * cta.n / kThreads));
  return range;
}

/// Calls visit(index, box) for every kThreads-th candidate: from its slot, or from global memory
/// with several loads in flight.
template <bool kFits, class Visit>
__device__ __forceinline__ void for_each(const Cta<kFits>& cta, Visit&& visit) {
  if constexpr (kFits) {
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < cta.n; i += kThreads) visit(i, cta.columns.slots.boxes[i]);
  } else {
    for (unsigned first = threadIdx.x; first < cta.n; first += kAtOnce * kThreads) {
      float4 boxes[kAtOnce];
#pragma unroll
      for (unsigned q = 0; q < kAtOnce; ++q)
        if (const unsigned i = first + q * kThreads; i < cta.n)
          boxes[q] = __ldg(cta.arguments.view.boxes + i);
#pragma unroll
      for (unsigned q = 0; q < kAtOnce; ++q)
        if (const unsigned i = first + q * kThreads; i < cta.n) visit(i, boxes[q]);
    }
  }
}

/// Counts all candidates by cell. Ends with a barrier.
template <bool kFits>
__device__ __forceinline__ void count_cells(const Cta<kFits>& cta, const CellGrid& grid) {
  for_each(cta, [&](unsigned i, float4 box) {
    // Invalid ones lie anywhere; an empty box, whose centre is NaN, in cell 0.
    const unsigned cell = cell_of(grid, cta.shared.curve, box);
    if (i < cta.cells_room()) cta.cells()[i] = static_cast<std::uint16_t>(cell);
    atomicAdd(cta.counts + cell, 1U);
  });
  __syncthreads();
}

template <bool kFits>
__device__ __forceinline__ unsigned cell_at(const Cta<kFits>& cta, const CellGrid& grid,
                                            unsigned index) {
  return index < cta.cells_room()
             ? cta.cells()[index]
             : cell_of(grid, cta.shared.curve, __ldg(cta.arguments.view.boxes + index));
}

/// Puts candidate `index` into column `at`; of a slot of its own unless all have one.
template <bool kFits>
__device__ __forceinline__ void put_column(const Cta<kFits>& cta, unsigned at, unsigned index) {
  unsigned slot = index;
  if (!cta.fits()) {
    slot = at;
    const View& view = cta.arguments.view;
    cta.columns.slots.put(slot, __ldg(view.boxes + index), __ldg(view.scores + index), index);
  }
  cta.columns.slot_of[at] = static_cast<std::uint16_t>(slot);
}

/// Puts the CTA's own candidates into columns [0, rows), in the order of their cells, so that each
/// octet lies close together. Needs the starts of the cells in `counts`, and spoils them. Ends
/// with a barrier.
template <bool kFits>
__device__ __forceinline__ void gather_rows(const Cta<kFits>& cta, const CellGrid& grid,
                                            const Share& share) {
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < cta.n; i += kThreads) {
    const unsigned cell = cell_at(cta, grid, i);
    if (share.owns(cell)) put_column(cta, atomicAdd(cta.counts + cell, 1U) - share.first, i);
  }
  const unsigned fill = share.rows() + threadIdx.x;
  if (fill < (share.rows() + 31) / 32 * 32)
    cta.columns.slot_of[fill] = static_cast<std::uint16_t>(cta.empty_slot());
  if (threadIdx.x == 0) {
    cta.shared.others = 0;
    cta.columns.slots.boxes[cta.empty_slot()] = empty_box();
    cta.columns.slots.keys[cta.empty_slot()] = 0;
  }
  __syncthreads();
}

/// A box around all rows, in every thread; also leaves one around each octet.
template <bool kFits>
__device__ __forceinline__ float4 bound_rows(const Cta<kFits>& cta, unsigned rows) {
  float4 mine = empty_box();
  for (unsigned group = 0; 32 * group < rows; ++group) {
    const float4 box = cta.columns.box(32 * group + lane_id());
    mine = bounds_of(mine, box);
    if (group != warp_id()) continue;
    const float4 around = octet_bounds(box);
    if (lane_id() % 8 == 0) cta.shared.octets[4 * group + lane_id() / 8] = around;
  }
  return warp_bounds(mine);
}

/// Whether a candidate that overlaps the box around the rows is a valid one of another CTA.
template <bool kFits>
__device__ __forceinline__ bool is_other(const Cta<kFits>& cta, const CellGrid& grid,
                                         const Share& share, unsigned index) {
  if (share.owns(cell_at(cta, grid, index))) return false;
  if (cta.fits()) return true;  // the slots of invalid ones are empty
  const View& view = cta.arguments.view;
  return valid(__ldg(view.boxes + index), __ldg(view.scores + index));
}

/// Puts others that overlap the box around the rows behind them, where there is room. Ends with a
/// barrier.
template <bool kFits>
__device__ __forceinline__ void gather_others(const Cta<kFits>& cta, const CellGrid& grid,
                                              const Share& share) {
  const float4 around = bound_rows(cta, share.rows());
  const unsigned stride = (share.rows() + 31) / 32 * 32;
  // Room for a last word to be filled up, and for the empty slot.
  const unsigned room = cta.arguments.limits.columns - 32;
  for_each(cta, [&](unsigned i, float4 box) {
    if (!overlap(box, around) || !is_other(cta, grid, share, i)) return;
    const unsigned at = stride + atomicAdd(&cta.shared.others, 1U);
    if (at < room) put_column(cta, at, i);
  });
  __syncthreads();
  const unsigned end = stride + cta.shared.others;
  if (end <= room && threadIdx.x < (32 - end % 32) % 32)
    cta.columns.slot_of[end + threadIdx.x] = static_cast<std::uint16_t>(cta.empty_slot());
  __syncthreads();
}

/// Decides a group of rows and adds what is kept to the CTA's own. False if some CTA gave up.
template <bool kAnyStronger, bool kFits>
__device__ __forceinline__ bool decide_rows(const Cta<kFits>& cta, const Problem& problem,
                                            unsigned number) {
  const GridBoard board{cta.columns,
                        problem.stride(),
                        {cta.shared.kept, cta.shared.removed},
                        cta.states(),
                        kFits ? nullptr : &cta.arguments.scratch.control->bail};
  Group group;
  if constexpr (kAnyStronger)
    group = decide_by_any(problem, number, board);
  else
    group = decide_group(problem, number, board);
  publish_invalid(problem, group, board.states);
  const OwnOrder own = cta.own_order();
  const bool kept = group.mine(group.kept);
  const auto count = static_cast<unsigned>(__popc(group.kept));
  if (problem.groups() == 1) {
    order_warp(own, group.key, group.kept);
    if (lane_id() == 0) cta.shared.own = count;
  } else {
    unsigned first = 0;
    if (lane_id() == 0) first = atomicAdd(&cta.shared.own, count);
    first = __shfl_sync(kAllLanes, first, 0);
    if (kept)
      own.spare[first + static_cast<unsigned>(__popc(group.kept & lanes_below()))] = group.key;
  }
  return group.undecided == 0;
}

/// Gathers what the CTA has to do with and compares it. False, and the flag to give up is set, if
/// there is no room for it. Ends with a barrier.
template <class Overlap, bool kFits>
__device__ __forceinline__ bool gather_and_compare(const Cta<kFits>& cta, const CellGrid& grid,
                                                   const Share& share, Problem& problem) {
  gather_rows(cta, grid, share);
  gather_others(cta, grid, share);
  const unsigned stride = (share.rows() + 31) / 32 * 32;
  problem = {cta.columns, cta.bits, share.rows(), stride + cta.shared.others};
  // Where starts of cells were: counts, until the kept ones are counted.
  for (unsigned i = threadIdx.x; i <= stride; i += kThreads) cta.own_order().counts[i] = 0;
  const GreedyLimits& limits = cta.arguments.limits;
  const bool room =
      problem.end <= limits.columns - 32 && stride * problem.words() <= limits.bit_words;
  if (room)
    compare<Overlap>(cta.columns, cta.arguments.view, problem.rows, stride, problem.end,
                     cta.shared.octets, cta.arguments.threshold, cta.bits);
  else if (threadIdx.x == 0)
    shared_store(&cta.arguments.scratch.control->bail, cta.shared.tag);
  __syncthreads();
  return room;
}

/// Tells that this CTA has decided what it owns, or given up.
template <bool kFits>
__device__ __forceinline__ void arrive(const Cta<kFits>& cta) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  std::uint32_t* const arrivals = &cta.arguments.scratch.control->arrivals;
  cta.shared.arrived = shared_add_release(arrivals, cta.meeting().weight()) >> cta.meeting().bits;
}

/// Waits until all CTAs have arrived; false if one gave up.
template <bool kFits>
__device__ __forceinline__ bool wait_for_all(const Cta<kFits>& cta) {
  if (threadIdx.x == 0) {
    const GreedyControl* const control = cta.arguments.scratch.control;
    for (SpinLimit spins;
         shared_load_acquire(&control->arrivals) >> cta.meeting().bits == cta.shared.arrived;)
      spins.count();
    cta.shared.bailed = shared_load(&control->bail) == cta.shared.tag;
  }
  __syncthreads();
  return !cta.shared.bailed;
}

/// Which of candidates first, first + kThreads, ... are kept, a bit each, once all are decided.
template <bool kFits>
__device__ __forceinline__ unsigned wait_for_states(const Cta<kFits>& cta, unsigned first) {
  const States states = cta.states();
  State seen[kAtOnce];
#pragma unroll
  for (unsigned q = 0; q < kAtOnce; ++q) {
    const unsigned i = first + q * kThreads;
    seen[q] = i < cta.n ? states.read(i) : kRemoved;
  }
  unsigned kept = 0;
#pragma unroll
  for (unsigned q = 0; q < kAtOnce; ++q) {
    for (SpinLimit spins; seen[q] == kUndecided; spins.count()) {
      pause();
      seen[q] = states.read(first + q * kThreads);
    }
    kept |= (seen[q] == kKept ? 1U : 0U) << q;
  }
  return kept;
}

/// Counts kept ones of slots first, first + kThreads, ... between the own ones.
__device__ __forceinline__ void count_slots(const Cta<true>& cta, const OwnOrder& own,
                                            unsigned first, unsigned kept) {
  constexpr unsigned kSearched = 4;
  while (kept != 0) {
    std::uint64_t keys[kSearched];
#pragma unroll
    for (unsigned k = 0; k < kSearched; ++k, kept &= kept - 1) {
      const unsigned q = static_cast<unsigned>(__ffs(static_cast<int>(kept))) - 1;
      keys[k] = kept != 0 ? cta.columns.slots.keys[first + q * kThreads] : 0;
    }
    count_kept(own, keys);
  }
}

/// The same for all candidates of global memory, once all are decided or soon will be.
__device__ __forceinline__ void count_all(const Cta<false>& cta, const OwnOrder& own) {
  for (unsigned first = threadIdx.x; first < cta.n; first += kAtOnce * kThreads) {
    std::uint64_t keys[kAtOnce];
#pragma unroll
    for (unsigned q = 0; q < kAtOnce; ++q) {
      const unsigned i = first + q * kThreads;
      keys[q] = i < cta.n ? key_of(ordered_bits(__ldg(cta.arguments.view.scores + i)), i) : 0;
    }
    const unsigned kept = wait_for_states(cta, first);
    if (kept == 0) continue;
#pragma unroll
    for (unsigned q = 0; q < kAtOnce; ++q)  // kept ones are valid
      if ((kept >> q & 1) == 0) keys[q] = 0;
    count_kept(own, keys);
  }
}

/// Writes own kept candidates to their places, and by CTA 0 how many there are. Begins with a
/// barrier.
template <bool kFits>
__device__ __forceinline__ void place_all(const Cta<kFits>& cta, const OwnOrder& own) {
  __syncthreads();
  if (warp_id() != 0) return;
  const unsigned kept = place_own(own, [&](unsigned place, std::uint64_t key) {
    cta.arguments.indices[place] = index_of(key);
  });
  if (blockIdx.x == 0 && threadIdx.x == 0) *cta.arguments.kept = kept;
}

/// Where all candidates are in slots. Before the CTA's own are decided it doesn't look for all
/// others: that would slow down those who decide.
template <bool kAnyStronger>
__device__ __forceinline__ bool decide_and_place(const Cta<true>& cta, const Problem& problem) {
  static_assert(kMaxColumns <= (kAtOnce + 1) * kThreads);
  if (warp_id() < problem.groups()) decide_rows<kAnyStronger>(cta, problem, warp_id());
  __syncthreads();
  OwnOrder own = cta.own_order();
  own.size = cta.shared.own;
  if (own.size == 0 && blockIdx.x != 0) return true;
  if (problem.groups() > 1) order_own(own);
  const unsigned kept = wait_for_states(cta, threadIdx.x);
  const unsigned last = kAtOnce * kThreads + threadIdx.x;
  const unsigned kept_last = last < cta.n ? wait_for_states(cta, last) : 0;
  count_slots(cta, own, threadIdx.x, kept);
  count_slots(cta, own, last, kept_last);
  place_all(cta, own);
  return true;
}

/// Where they aren't, and CTAs may give up: they wait for each other before they look.
template <bool kAnyStronger>
__device__ __forceinline__ bool decide_and_place(const Cta<false>& cta, const Problem& problem) {
  bool decided = true;
  if (warp_id() < problem.groups()) decided = decide_rows<kAnyStronger>(cta, problem, warp_id());
  decided = __syncthreads_and(decided) != 0;
  OwnOrder own = cta.own_order();
  own.size = cta.shared.own;
  if (problem.groups() > 1) order_own(own);
  arrive(cta);
  if (!decided || !wait_for_all(cta)) return false;
  if (own.size == 0 && blockIdx.x != 0) return true;
  count_all(cta, own);
  place_all(cta, own);
  return true;
}

/// Whether a candidate falls to any that outranks and suppresses it, asked of all n by a warp.
template <class Overlap>
__device__ __forceinline__ bool falls_to_any(const Cta<false>& cta, unsigned index) {
  const View& view = cta.arguments.view;
  const float4 box = __ldg(view.boxes + index);
  const float box_area = area(as_box(box));
  const std::uint64_t key = key_at(view, index);
  const std::uint32_t group = group_of(view, index);
  for (unsigned first = 0; first < cta.n; first += 32) {
    const unsigned i = first + lane_id();
    bool falls = false;
    if (i < cta.n) {
      const float4 other = __ldg(view.boxes + i);
      falls = Overlap::suppresses(as_box(other), area(as_box(other)), as_box(box), box_area,
                                  cta.arguments.threshold) &&
              key_at(view, i) > key && group_of(view, i) == group;
    }
    if (__any_sync(kAllLanes, falls)) return true;
  }
  return false;
}

/// The rule fast where boxes crowd: every candidate against all, each CTA its part.
template <class Overlap>
__device__ __forceinline__ void compare_all(const Cta<false>& cta) {
  const unsigned part = (cta.n + gridDim.x - 1) / gridDim.x;
  const unsigned begin = min(cta.n, blockIdx.x * part);
  const unsigned end = min(cta.n, begin + part);
  for (unsigned i = begin + warp_id(); i < end; i += kWarps) {
    const bool stands =
        is_valid_key(key_at(cta.arguments.view, i)) && !falls_to_any<Overlap>(cta, i);
    if (lane_id() == 0) cta.states().publish(i, stands ? kKept : kRemoved);
  }
  grid_barrier(&cta.arguments.scratch.control->barrier, cta.meeting());
  for (unsigned at = begin; at == begin || at < end; at += kRankedAtOnce) {
    __syncthreads();
    OwnOrder own = cta.own_order();
    if (threadIdx.x == 0) cta.shared.own = 0;
    for (unsigned i = threadIdx.x; i <= kRankedAtOnce; i += kThreads) own.counts[i] = 0;
    __syncthreads();
    const unsigned i = at + threadIdx.x;
    if (i < min(end, at + kRankedAtOnce) && cta.states().read(i) == kKept)
      own.spare[atomicAdd(&cta.shared.own, 1U)] = key_at(cta.arguments.view, i);
    __syncthreads();
    own.size = cta.shared.own;
    order_own(own);
    count_all(cta, own);
    place_all(cta, own);
  }
}

/// What all CTAs do where the rounds don't pay: too many boxes in one place.
template <class Overlap, bool kAnyStronger>
__device__ __noinline__ void decide_crowd(const GreedyArguments& given, unsigned n) {
  const GreedyArguments arguments =
      given;  // in registers: each look through the reference is a load
  const Cta<false> cta = cta_of<false>(arguments, n);
  __syncthreads();
  if constexpr (kAnyStronger) {
    compare_all<Overlap>(cta);
  } else {
    const GreedyScratch& scratch = cta.arguments.scratch;
    const unsigned words = (cta.arguments.view.capacity + 31) / 32;
    SweepMemory memory{cta.columns,
                       cta.bits,
                       cta.shared.octets,
                       cta.own_order(),
                       cta.shared.share.warp_sums,
                       cta.shared.kept,
                       cta.shared.removed};
    const SweepScratch sweep_scratch{scratch.sorted_keys,
                                     scratch.sorted_boxes,
                                     {scratch.alive, scratch.alive + words},
                                     &scratch.control->barrier,
                                     cta.meeting()};
    sweep<Overlap>(cta.arguments.view, cta.n, cta.arguments.threshold, memory, sweep_scratch,
                   cta.arguments.indices, cta.arguments.kept);
  }
}

/// See Note [Tags]; once all CTAs have arrived. An old bail must not look current either.
template <bool kFits>
__device__ __forceinline__ void forget_old(const Cta<kFits>& cta) {
  const States states = cta.states();
  states.clear_old(cta.n, cta.arguments.view.capacity);
  std::uint32_t* const bail = &cta.arguments.scratch.control->bail;
  if (threadIdx.x == 0 && states.tag % 4096 == 0 && shared_load(bail) != states.tag)
    shared_store(bail, ~states.tag);
}

/// Candidates of a CTA. Fewer of them are compared sooner, but wait for more of others; so there
/// are fewer only where that gives work to all CTAs.
__device__ __forceinline__ unsigned share_size_of(unsigned n) {
  constexpr unsigned kShareOfFew = 24;
  constexpr unsigned kShareOfMany = 16;
  const unsigned all = (n + gridDim.x - 1) / gridDim.x;
  return max(all, n < kShareOfMany * gridDim.x ? kShareOfFew : kShareOfMany);
}

/// For CTAs that can't own anything: whether they are needed after all, which CTA 0 finds out.
__device__ __forceinline__ bool wait_if_crowded(const Cta<true>& cta) {
  __syncthreads();  // the tag is there
  if (threadIdx.x == 0) {
    std::uint32_t crowd = 0;
    for (SpinLimit spins; crowd >> 1 != cta.shared.tag; spins.count()) {
      pause();
      crowd = shared_load(&cta.arguments.scratch.control->crowd);
    }
    cta.shared.share.crowded = crowd & 1;
  }
  __syncthreads();
  return cta.shared.share.crowded != 0;
}

/// The whole of it. True if the CTA's part of the output is written; false where all CTAs must go
/// on with decide_crowd().
template <class Overlap, bool kAnyStronger, bool kFits>
__device__ __forceinline__ bool decide_by_rounds(const Cta<kFits>& cta, float4 first_box,
                                                 float first_score) {
  const unsigned share_size = share_size_of(cta.n);
  const unsigned begin = blockIdx.x * share_size;
  float4 range;
  if constexpr (kFits) {
    // They would only take bandwidth of L2 from those who load.
    if (begin >= cta.n && blockIdx.x != 0) return !wait_if_crowded(cta);
    range = load_slots(cta, first_box, first_score);
  } else {
    range = sample_range(cta);
  }
  const CellGrid grid = grid_over(range, cta.shared.ranges);
  count_cells(cta, grid);
  const Share share =
      deal_out(cta.counts, cta.n, begin, share_size, cta.rows_limit(), cta.shared.share);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    shared_store(&cta.arguments.scratch.control->crowd,
                 (cta.shared.tag << 1) | (share.crowded ? 1U : 0U));
  if (share.crowded) return false;
  if (share.rows() == 0 && kFits && blockIdx.x != 0) return true;
  Problem problem{cta.columns, cta.bits, 0, 0};
  if (!gather_and_compare<Overlap>(cta, grid, share, problem)) {
    arrive(cta);
    return false;
  }
  return decide_and_place<kAnyStronger>(cta, problem);
}

/// Where there are more candidates than slots.
template <class Overlap, bool kAnyStronger>
__device__ __noinline__ bool decide_many_by_rounds(const GreedyArguments& given, unsigned n) {
  const GreedyArguments arguments =
      given;  // in registers: each look through the reference is a load
  return decide_by_rounds<Overlap, kAnyStronger>(cta_of<false>(arguments, n), empty_box(), 0);
}

template <class Overlap, bool kAnyStronger>
__global__ void __launch_bounds__(kThreads, 1)
    greedy_kernel(const __grid_constant__ GreedyArguments arguments) {
  const View& view = arguments.view;
  // Loaded together with the count, hence the contract that arrays are as long as the capacity.
  float4 first_box = empty_box();
  float first_score = 0;
  if (threadIdx.x < view.capacity) {
    first_box = __ldg(view.boxes + threadIdx.x);
    first_score = __ldg(view.scores + threadIdx.x);
  }
  constexpr unsigned kCurveEach = kCells / 2 / kThreads;  // two places of the curve in a word
  unsigned curve[kCurveEach];
#pragma unroll
  for (unsigned q = 0; q < kCurveEach; ++q)
    curve[q] = __ldg(reinterpret_cast<const unsigned*>(&kCurve) + q * kThreads + threadIdx.x);
  const std::uint32_t count = __ldg(view.count);
  const Cta<true> cta = cta_of<true>(arguments, min(count, view.capacity));
#pragma unroll
  for (unsigned q = 0; q < kCurveEach; ++q) {
    reinterpret_cast<uint2*>(cta.counts)[q * kThreads + threadIdx.x] = make_uint2(0, 0);
    reinterpret_cast<unsigned*>(&cta.shared.curve)[q * kThreads + threadIdx.x] = curve[q];
  }
  if (threadIdx.x == 0) {
    cta.shared.share.crowded = 0;
    cta.shared.own = 0;
  }
  if (threadIdx.x < kMaxGroups) cta.shared.kept[threadIdx.x] = cta.shared.removed[threadIdx.x] = 0;
  if (threadIdx.x == kThreads - 1) {
    // The launch's number; needed only after some barriers, so its latency hides.
    const std::uint32_t ticket =
        atomicAdd(&arguments.scratch.control->tickets, cta.meeting().weight());
    cta.shared.tag = ticket >> arguments.ticket_bits;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *arguments.beyond_capacity = count - cta.n;
  const bool done = fits(arguments, cta.n)
                        ? decide_by_rounds<Overlap, kAnyStronger>(cta, first_box, first_score)
                        : decide_many_by_rounds<Overlap, kAnyStronger>(arguments, cta.n);
  if (!done) decide_crowd<Overlap, kAnyStronger>(arguments, cta.n);
  if (blockIdx.x == gridDim.x - 1) forget_old(cta);
}

using Kernel = void (*)(GreedyArguments);

Kernel kernel_for(const NmsOptions& options) {
  return with_overlap(options.overlap, [&](auto overlap) -> Kernel {
    using Overlap = decltype(overlap);
    return options.rule == NmsRule::fast ? greedy_kernel<Overlap, true>
                                         : greedy_kernel<Overlap, false>;
  });
}

}  // namespace

GreedyPlan plan_greedy(const NmsOptions& options, std::uint32_t largest_columns) {
  const Kernel kernel = kernel_for(options);
  cudaFuncAttributes attributes{};
  FACEPIPE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  const auto shared =
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) -
      attributes.sharedSizeBytes;
  GreedyPlan plan;
  // As many columns as pay, or half the memory; all the rest for bits.
  plan.limits.columns =
      std::min({kMaxColumns, largest_columns,
                static_cast<std::uint32_t>(shared / 2 / kBytesOfAColumn) / 32 * 32});
  const std::size_t before_bits = kCountsBytes + plan.limits.columns * kBytesOfAColumn;
  plan.limits.bit_words = static_cast<std::uint32_t>((shared - before_bits) / 16 * 4);
  plan.shared_bytes = static_cast<std::uint32_t>(before_bits + plan.limits.bit_words * 4);
  FACEPIPE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(plan.shared_bytes)));
  int ctas_each = 0;
  FACEPIPE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas_each, kernel, kThreads,
                                                                    plan.shared_bytes));
  if (ctas_each == 0) throw std::logic_error("the greedy kernel does not fit the device");
  plan.ctas = static_cast<std::uint32_t>(device_attribute(cudaDevAttrMultiProcessorCount));
  plan.ticket_bits = 8;  // tags then have 24 bits, see Note [Tags]
  while ((1U << plan.ticket_bits) < plan.ctas) ++plan.ticket_bits;
  return plan;
}

void launch_greedy(const NmsOptions& options, const GreedyPlan& plan,
                   const GreedyArguments& arguments, cudaStream_t stream) {
  launch_cooperatively(kernel_for(options), plan.ctas, kThreads, plan.shared_bytes, stream,
                       arguments);
}

}  // namespace facepipe::nms
