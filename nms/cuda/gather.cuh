// Which candidates a CTA of the greedy kernel decides, and with which it compares them.
#pragma once

#include <cstdint>

#include "nms/cuda/board.cuh"
#include "nms/cuda/cells.cuh"
#include "nms/cuda/columns.cuh"
#include "nms/cuda/cta.cuh"
#include "nms/cuda/device.cuh"

namespace facepipe::nms {

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

/// So few candidates that finding out which lie close together takes longer than comparing all.
inline constexpr unsigned kFew = 256;

/// Of few candidates, each CTA takes a row of those as they come, and all others for columns. Ends
/// with a barrier.
__device__ __forceinline__ Problem gather_few(const Cta<true>& cta, unsigned begin, unsigned end) {
  const unsigned rows = end - begin;
  const unsigned stride = (rows + 31) / 32 * 32;
  const Problem problem{cta.columns, cta.bits, rows, stride + cta.n - rows};
  const unsigned i = threadIdx.x;
  if (i < problem.stride() + (cta.n + 31) / 32 * 32) {
    unsigned slot = cta.empty_slot();
    if (i < rows)
      slot = begin + i;
    else if (i >= stride && i < problem.end)
      slot = i - stride < begin ? i - stride : i - stride + rows;
    cta.columns.slot_of[i] = static_cast<std::uint16_t>(slot);
  }
  if (i <= stride) cta.own_order().counts[i] = 0;
  if (i == 0) {
    cta.columns.slots.boxes[cta.empty_slot()] = empty_box();
    cta.columns.slots.keys[cta.empty_slot()] = 0;
  }
  __syncthreads();
  return problem;
}

}  // namespace facepipe::nms
