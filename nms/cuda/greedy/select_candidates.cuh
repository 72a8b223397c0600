// Selects the candidates that a thread block decides (the rows of its matrix), and the candidates
// with which it compares the rows (the columns).
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy/block_context.cuh"
#include "nms/cuda/greedy/decisions.cuh"
#include "nms/cuda/greedy/partition.cuh"
#include "nms/cuda/greedy/suppression_matrix.cuh"
#include "nms/cuda/overlaps.cuh"

namespace facepipe::nms {

/// Loads all candidates into shared memory; a thread loads every kThreads-th. The kernel has
/// already loaded each thread's first candidate, and the caller passes it. Returns the range of the
/// centres of the thread's first and last candidates. If the candidates are in raster order, all
/// threads' ranges make up the whole range. In any other order, the ranges are a good sample.
template <bool kFits>
__device__ __forceinline__ float4 load_candidates(const BlockContext<kFits>& block,
                                                  float4 first_box, float first_score) {
  const CandidateView& view = block.arguments.view;
  const SharedCandidates& candidates = block.columns.candidates;
  float4 last_box = empty_box();
  if (block.n > kThreads) last_box = __ldg(view.boxes + block.n - kThreads + threadIdx.x);
  for (unsigned first = kThreads + threadIdx.x; first < block.n;
       first += kLoadsInFlight * kThreads) {
    float4 boxes[kLoadsInFlight];
    float scores[kLoadsInFlight];
#pragma unroll
    for (unsigned q = 0; q < kLoadsInFlight; ++q)
      if (const unsigned i = first + q * kThreads; i < block.n) {
        boxes[q] = __ldg(view.boxes + i);
        scores[q] = __ldg(view.scores + i);
      }
#pragma unroll
    for (unsigned q = 0; q < kLoadsInFlight; ++q)
      if (const unsigned i = first + q * kThreads; i < block.n)
        candidates.put(i, boxes[q], scores[q], i);
  }
  float4 range = empty_box();
  if (threadIdx.x < block.n) {
    candidates.put(threadIdx.x, first_box, first_score, threadIdx.x);
    include_centre(range, first_box);
  }
  include_centre(range, last_box);  // an empty box has no centre
  return range;
}

/// Returns the range of a sample of the centres. It is for candidates that don't all fit in shared
/// memory.
template <bool kFits>
__device__ __forceinline__ float4 sample_range(const BlockContext<kFits>& block) {
  float4 range = empty_box();
  include_centre(range, __ldg(block.arguments.view.boxes +
                              static_cast<std::uint64_t>(threadIdx.x) * block.n / kThreads));
  return range;
}

/// Calls visit(index, box) for every kThreads-th candidate. Boxes are read from shared memory if
/// they are there; otherwise from global memory with several loads in flight.
template <bool kFits, class Visit>
__device__ __forceinline__ void for_each_candidate(const BlockContext<kFits>& block,
                                                   Visit&& visit) {
  if constexpr (kFits) {
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < block.n; i += kThreads)
      visit(i, block.columns.candidates.boxes[i]);
  } else {
    for (unsigned first = threadIdx.x; first < block.n; first += kLoadsInFlight * kThreads) {
      float4 boxes[kLoadsInFlight];
#pragma unroll
      for (unsigned q = 0; q < kLoadsInFlight; ++q)
        if (const unsigned i = first + q * kThreads; i < block.n)
          boxes[q] = __ldg(block.arguments.view.boxes + i);
#pragma unroll
      for (unsigned q = 0; q < kLoadsInFlight; ++q)
        if (const unsigned i = first + q * kThreads; i < block.n) visit(i, boxes[q]);
    }
  }
}

/// Counts all candidates by cell. Ends with a barrier.
template <bool kFits>
__device__ __forceinline__ void count_cells(const BlockContext<kFits>& block,
                                            const CellGrid& grid) {
  for_each_candidate(block, [&](unsigned i, float4 box) {
    // It doesn't matter to which cell an invalid candidate belongs. An empty box, whose centre is
    // NaN, belongs to cell 0.
    const unsigned cell = cell_of(grid, block.shared.curve, box);
    if (i < block.candidate_cells_size())
      block.candidate_cells()[i] = static_cast<std::uint16_t>(cell);
    atomicAdd(block.counts + cell, 1U);
  });
  __syncthreads();
}

/// Returns the cell of a candidate. If there was space, count_cells() has stored it. Otherwise it
/// is computed again from the box that box_of() returns.
template <bool kFits, class BoxOf>
__device__ __forceinline__ unsigned cell_at(const BlockContext<kFits>& block, const CellGrid& grid,
                                            unsigned index, BoxOf&& box_of) {
  return index < block.candidate_cells_size() ? block.candidate_cells()[index]
                                              : cell_of(grid, block.shared.curve, box_of());
}

/// Calls take(index, row) for each candidate that the block owns. Rows are in the order of cells,
/// so that eight rows in sequence (an octet) lie close together. For each cell, block.counts must
/// have the number of candidates in the cells before it. This function changes these numbers.
template <bool kFits, class Take>
__device__ __forceinline__ void for_each_own(const BlockContext<kFits>& block, const CellGrid& grid,
                                             const Partition& partition, Take&& take) {
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < block.n; i += kThreads) {
    const unsigned cell =
        cell_at(block, grid, i, [&] { return __ldg(block.arguments.view.boxes + i); });
    if (partition.owns(cell)) take(i, atomicAdd(block.counts + cell, 1U) - partition.first);
  }
}

/// Lists the block's own candidates as the columns [0, rows). They already have entries.
__device__ __forceinline__ void list_rows(const BlockContext<true>& block, const CellGrid& grid,
                                          const Partition& partition) {
  for_each_own(block, grid, partition, [&](unsigned index, unsigned row) {
    block.columns.entry_of[row] = static_cast<std::uint16_t>(index);
  });
}

/// Does the same for candidates that have no entries yet: loads them into the entries [0, rows).
__device__ __forceinline__ void list_rows(const BlockContext<false>& block, const CellGrid& grid,
                                          const Partition& partition) {
  static_assert(kMaxRows <= kThreads);
  const unsigned row = threadIdx.x;
  for_each_own(block, grid, partition,
               [&](unsigned index, unsigned at) { block.columns.candidates.keys[at] = index; });
  __syncthreads();
  if (row >= partition.rows()) return;
  const auto index = static_cast<unsigned>(block.columns.candidates.keys[row]);
  const CandidateView& view = block.arguments.view;
  block.columns.candidates.put(row, __ldg(view.boxes + index), __ldg(view.scores + index), index);
  block.columns.entry_of[row] = static_cast<std::uint16_t>(row);
}

/// Selects the rows and pads them to a multiple of 32. Ends with a barrier.
template <bool kFits>
__device__ __forceinline__ void select_rows(const BlockContext<kFits>& block, const CellGrid& grid,
                                            const Partition& partition) {
  list_rows(block, grid, partition);
  const unsigned fill = partition.rows() + threadIdx.x;
  if (fill < (partition.rows() + 31) / 32 * 32)
    block.columns.entry_of[fill] = static_cast<std::uint16_t>(block.empty_entry());
  if (threadIdx.x == 0) {
    block.shared.other_columns = 0;
    block.columns.candidates.boxes[block.empty_entry()] = empty_box();
    block.columns.candidates.keys[block.empty_entry()] = 0;
  }
  __syncthreads();
}

/// Tests whether a box can suppress one of the rows. Such a box overlaps the bounding box of the
/// rows, and its area is in a range.
struct SuppressorBounds {
  float4 around;
  AreaRange areas;
  [[nodiscard]] __device__ __forceinline__ bool may_suppress(float4 box) const {
    return overlap(box, around) && areas.holds(area(as_box(box)));
  }
};

/// Returns the bounds for suppressors of the block's rows, in every thread. Also stores the
/// bounding box of each octet of rows.
template <class Overlap, bool kFits>
__device__ __forceinline__ SuppressorBounds suppressor_bounds(const BlockContext<kFits>& block,
                                                              unsigned rows) {
  float4 mine = empty_box();
  AreaRange areas{__builtin_huge_valf(), 0};
  for (unsigned row_word = 0; 32 * row_word < rows; ++row_word) {
    const float4 box = block.columns.box(32 * row_word + lane_id());
    mine = bounds_of(mine, box);
    if (box.x < box.z) {  // the box is valid and no padding
      areas.least = fminf(areas.least, area(as_box(box)));
      areas.most = fmaxf(areas.most, area(as_box(box)));
    }
    if (row_word != warp_id()) continue;
    const float4 around = octet_bounds(box);
    if (lane_id() % 8 == 0) block.shared.octets[4 * row_word + lane_id() / 8] = around;
  }
  areas = {warp_least(areas.least), warp_most(areas.most)};
  return {warp_bounds(mine), Overlap::winners(areas, block.arguments.threshold)};
}

/// Reserves the column for one more candidate of another block.
template <bool kFits>
__device__ __forceinline__ unsigned next_column(const BlockContext<kFits>& block, unsigned stride) {
  return stride + atomicAdd(&block.shared.other_columns, 1U);
}

/// Finds the candidates of other blocks that may suppress a row. Appends them to the columns as
/// long as there are fewer than `room` columns, and counts all of them.
__device__ __forceinline__ void list_others(const BlockContext<true>& block, const CellGrid& grid,
                                            const Partition& partition,
                                            const SuppressorBounds& bounds, unsigned stride,
                                            unsigned room) {
  for_each_candidate(block, [&](unsigned i, float4 box) {  // an invalid candidate's box is empty
    if (!bounds.may_suppress(box) || partition.owns(cell_at(block, grid, i, [&] { return box; })))
      return;
    if (const unsigned at = next_column(block, stride); at < room)
      block.columns.entry_of[at] = static_cast<std::uint16_t>(i);
  });
}
__device__ __forceinline__ void list_others(const BlockContext<false>& block, const CellGrid& grid,
                                            const Partition& partition,
                                            const SuppressorBounds& bounds, unsigned stride,
                                            unsigned room) {
  const CandidateView& view = block.arguments.view;
  for (unsigned first = threadIdx.x; first < block.n; first += kLoadsInFlight * kThreads) {
    float4 boxes[kLoadsInFlight];
    float scores[kLoadsInFlight];
#pragma unroll
    for (unsigned q = 0; q < kLoadsInFlight; ++q) {
      const unsigned i = first + q * kThreads;
      boxes[q] = i < block.n ? __ldg(view.boxes + i) : empty_box();
      scores[q] = i < block.n ? __ldg(view.scores + i) : 0;
    }
#pragma unroll
    for (unsigned q = 0; q < kLoadsInFlight; ++q) {
      const unsigned i = first + q * kThreads;
      if (!bounds.may_suppress(boxes[q]) || !valid(boxes[q], scores[q])) continue;
      if (partition.owns(cell_at(block, grid, i, [&] { return boxes[q]; }))) continue;
      const unsigned at = next_column(block, stride);
      if (at >= room) continue;
      block.columns.candidates.put(at, boxes[q], scores[q], i);
      block.columns.entry_of[at] = static_cast<std::uint16_t>(at);
    }
  }
}

/// Selects the columns of other blocks' candidates, and pads them to a multiple of 32. Ends with a
/// barrier.
template <class Overlap, bool kFits>
__device__ __forceinline__ void select_others(const BlockContext<kFits>& block,
                                              const CellGrid& grid, const Partition& partition) {
  const SuppressorBounds bounds = suppressor_bounds<Overlap>(block, partition.rows());
  const unsigned stride = (partition.rows() + 31) / 32 * 32;
  // This leaves space to pad the last word, and for the empty entry.
  const unsigned room = block.arguments.limits.columns - 32;
  list_others(block, grid, partition, bounds, stride, room);
  __syncthreads();
  const unsigned end = stride + block.shared.other_columns;
  if (end <= room && threadIdx.x < (32 - end % 32) % 32)
    block.columns.entry_of[end + threadIdx.x] = static_cast<std::uint16_t>(block.empty_entry());
  __syncthreads();
}

}  // namespace facepipe::nms
