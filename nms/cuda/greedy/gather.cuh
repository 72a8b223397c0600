// Which candidates a CTA of the greedy kernel decides, and with which it compares them.
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy/board.cuh"
#include "nms/cuda/greedy/cells.cuh"
#include "nms/cuda/greedy/columns.cuh"
#include "nms/cuda/greedy/cta.cuh"
#include "nms/cuda/overlaps.cuh"

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

/// The cell of candidate `index`, whose box `box_of()` gives where it isn't remembered.
template <bool kFits, class BoxOf>
__device__ __forceinline__ unsigned cell_at(const Cta<kFits>& cta, const CellGrid& grid,
                                            unsigned index, BoxOf&& box_of) {
  return index < cta.cells_room() ? cta.cells()[index] : cell_of(grid, cta.shared.curve, box_of());
}

/// Calls take(index, row) for each of the CTA's own candidates, in the order of their cells, so
/// that each octet lies close together. Needs the starts of the cells in `counts`, and spoils them.
template <bool kFits, class Take>
__device__ __forceinline__ void for_each_own(const Cta<kFits>& cta, const CellGrid& grid,
                                             const Share& share, Take&& take) {
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < cta.n; i += kThreads) {
    const unsigned cell =
        cell_at(cta, grid, i, [&] { return __ldg(cta.arguments.view.boxes + i); });
    if (share.owns(cell)) take(i, atomicAdd(cta.counts + cell, 1U) - share.first);
  }
}

/// Puts the CTA's own candidates into columns [0, rows): of the slots that they have.
__device__ __forceinline__ void take_rows(const Cta<true>& cta, const CellGrid& grid,
                                          const Share& share) {
  for_each_own(cta, grid, share, [&](unsigned index, unsigned row) {
    cta.columns.slot_of[row] = static_cast<std::uint16_t>(index);
  });
}

/// Of slots of their own, loaded all at once.
__device__ __forceinline__ void take_rows(const Cta<false>& cta, const CellGrid& grid,
                                          const Share& share) {
  static_assert(kMaxRows <= kThreads);
  const unsigned row = threadIdx.x;
  for_each_own(cta, grid, share,
               [&](unsigned index, unsigned at) { cta.columns.slots.keys[at] = index; });
  __syncthreads();
  if (row >= share.rows()) return;
  const auto index = static_cast<unsigned>(cta.columns.slots.keys[row]);
  const View& view = cta.arguments.view;
  cta.columns.slots.put(row, __ldg(view.boxes + index), __ldg(view.scores + index), index);
  cta.columns.slot_of[row] = static_cast<std::uint16_t>(row);
}

/// Takes the rows, and fills them up. Ends with a barrier.
template <bool kFits>
__device__ __forceinline__ void gather_rows(const Cta<kFits>& cta, const CellGrid& grid,
                                            const Share& share) {
  take_rows(cta, grid, share);
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

/// Where boxes lie that can suppress a row, and how large they are.
struct Reach {
  float4 around;
  AreaRange areas;
  [[nodiscard]] __device__ __forceinline__ bool holds(float4 box) const {
    return overlap(box, around) && areas.holds(area(as_box(box)));
  }
};

/// The reach of all rows, in every thread; also leaves a box around each octet.
template <class Overlap, bool kFits>
__device__ __forceinline__ Reach reach_of_rows(const Cta<kFits>& cta, unsigned rows) {
  float4 mine = empty_box();
  AreaRange areas{__builtin_huge_valf(), 0};
  for (unsigned group = 0; 32 * group < rows; ++group) {
    const float4 box = cta.columns.box(32 * group + lane_id());
    mine = bounds_of(mine, box);
    if (box.x < box.z) {  // else it is none
      areas.least = fminf(areas.least, area(as_box(box)));
      areas.most = fmaxf(areas.most, area(as_box(box)));
    }
    if (group != warp_id()) continue;
    const float4 around = octet_bounds(box);
    if (lane_id() % 8 == 0) cta.shared.octets[4 * group + lane_id() / 8] = around;
  }
  areas = {warp_least(areas.least), warp_most(areas.most)};
  return {warp_bounds(mine), Overlap::winners(areas, cta.arguments.threshold)};
}

/// Where another CTA's candidate goes that may suppress a row.
template <bool kFits>
__device__ __forceinline__ unsigned next_column(const Cta<kFits>& cta, unsigned stride) {
  return stride + atomicAdd(&cta.shared.others, 1U);
}

/// Puts others in reach of the rows behind them, where there is room: columns before `room`.
__device__ __forceinline__ void take_others(const Cta<true>& cta, const CellGrid& grid,
                                            const Share& share, const Reach& reach, unsigned stride,
                                            unsigned room) {
  for_each(cta, [&](unsigned i, float4 box) {  // those of invalid ones are empty
    if (!reach.holds(box) || share.owns(cell_at(cta, grid, i, [&] { return box; }))) return;
    if (const unsigned at = next_column(cta, stride); at < room)
      cta.columns.slot_of[at] = static_cast<std::uint16_t>(i);
  });
}
__device__ __forceinline__ void take_others(const Cta<false>& cta, const CellGrid& grid,
                                            const Share& share, const Reach& reach, unsigned stride,
                                            unsigned room) {
  const View& view = cta.arguments.view;
  for (unsigned first = threadIdx.x; first < cta.n; first += kAtOnce * kThreads) {
    float4 boxes[kAtOnce];
    float scores[kAtOnce];
#pragma unroll
    for (unsigned q = 0; q < kAtOnce; ++q) {
      const unsigned i = first + q * kThreads;
      boxes[q] = i < cta.n ? __ldg(view.boxes + i) : empty_box();
      scores[q] = i < cta.n ? __ldg(view.scores + i) : 0;
    }
#pragma unroll
    for (unsigned q = 0; q < kAtOnce; ++q) {
      const unsigned i = first + q * kThreads;
      if (!reach.holds(boxes[q]) || !valid(boxes[q], scores[q])) continue;
      if (share.owns(cell_at(cta, grid, i, [&] { return boxes[q]; }))) continue;
      const unsigned at = next_column(cta, stride);
      if (at >= room) continue;
      cta.columns.slots.put(at, boxes[q], scores[q], i);
      cta.columns.slot_of[at] = static_cast<std::uint16_t>(at);
    }
  }
}

/// Takes the others, and fills them up. Ends with a barrier.
template <class Overlap, bool kFits>
__device__ __forceinline__ void gather_others(const Cta<kFits>& cta, const CellGrid& grid,
                                              const Share& share) {
  const Reach reach = reach_of_rows<Overlap>(cta, share.rows());
  const unsigned stride = (share.rows() + 31) / 32 * 32;
  // Room for a last word to be filled up, and for the empty slot.
  const unsigned room = cta.arguments.limits.columns - 32;
  take_others(cta, grid, share, reach, stride, room);
  __syncthreads();
  const unsigned end = stride + cta.shared.others;
  if (end <= room && threadIdx.x < (32 - end % 32) % 32)
    cta.columns.slot_of[end + threadIdx.x] = static_cast<std::uint16_t>(cta.empty_slot());
  __syncthreads();
}

/// So few candidates that finding out which lie close together takes longer than comparing all.
inline constexpr unsigned kFew = 256;
static_assert(2 * kFew <= kThreads);

/// Of few candidates, each CTA takes some as they come for its rows, and all others for columns.
/// Ends with a barrier.
__device__ __forceinline__ Problem gather_few(const Cta<true>& cta, unsigned begin, unsigned end) {
  const unsigned rows = end - begin;
  const unsigned stride = (rows + 31) / 32 * 32;
  const Problem problem{cta.columns, cta.bits, rows, stride + cta.n - rows};
  const unsigned i = threadIdx.x;
  if (i < stride + (cta.n + 31) / 32 * 32) {
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
