// Which candidates a CTA owns. See Note [Ownership].
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"

namespace facepipe::nms {

// Note [Ownership]
// ~~~~~~~~~~~~~~~~
// The order of candidates is the caller's: raster order, or none. What a CTA decides should lie close
// together in the picture, because then most of what its boxes overlap is its own too. So the plane is
// cut into 4,096 cells along a Morton curve, candidates are counted by the cell of their centre, and
// the cells are dealt out along the curve: a cell belongs to CTA floor(E / share), where E is the
// number of candidates in the cells before it. Every CTA does this for itself: reading 4,096 boxes
// from L2 and counting them takes less time than one barrier across the grid and a permutation.
// Whole cells are dealt out, so nothing depends on the order in which threads count. A share is exceeded by
// at most the fullest cell; where cells are too full for that (identical boxes), no CTA rounds at all
// and the sweep takes over, which all CTAs see alike.
// The grid spans a sample of the centres: it decides about balance alone, never about the result.

inline constexpr unsigned kCells = 4096;
inline constexpr int kCellBits = 12;

struct CellGrid {
  float x0, y0, per_x, per_y;
  unsigned last_x, last_y;
  unsigned shared_bits;  ///< of each axis that interleave; the rest of the longer one's go on top
  bool wide;
};

struct Range {
  float x_min, y_min, x_max, y_max;  ///< of doubled centres
};

/// The range of a sample of n candidates, at least 1,024 of them where there are so many.
/// `first` is candidate threadIdx.x, loaded before n was known. Ends without a barrier.
__device__ inline Range sample_range(const View& view, unsigned n, float4 first,
                                     unsigned (&partial)[kWarps][4]) {
  const bool strided = n > kThreads;
  if (strided) first = __ldg(view.boxes + threadIdx.x * n / kThreads);
  const float x = first.x + first.z;
  const float y = first.y + first.w;
  constexpr float kFar = 1e30F;
  const bool counts = (strided || threadIdx.x < n) && fabsf(x) < kFar && fabsf(y) < kFar;
  const unsigned mins[4] = {counts ? ordered_bits(x) : ~0U, counts ? ordered_bits(y) : ~0U,
                            counts ? ~ordered_bits(x) : ~0U, counts ? ~ordered_bits(y) : ~0U};
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const unsigned least = warp_min(mins[q]);
    if (lane_id() == 0) partial[warp_id()][q] = least;
  }
  __syncthreads();
  unsigned least[4];
#pragma unroll
  for (int q = 0; q < 4; ++q) least[q] = warp_min(partial[lane_id()][q]);
  return {from_ordered_bits(least[0]), from_ordered_bits(least[1]), from_ordered_bits(~least[2]),
          from_ordered_bits(~least[3])};
}

/// Cells about as wide as high. A range of nothing but one point, or none at all, gives a grid too.
__device__ inline CellGrid grid_over(const Range& range) {
  const float width = range.x_max - range.x_min;
  const float height = range.y_max - range.y_min;
  const int skew = max(-6, min(6, __float2int_rn(0.5F * (__log2f(width) - __log2f(height)))));
  const int x_bits = kCellBits / 2 + skew;
  const int y_bits = kCellBits / 2 - skew;
  CellGrid grid;
  grid.x0 = range.x_min;
  grid.y0 = range.y_min;
  grid.per_x = static_cast<float>(1 << x_bits) / width;
  grid.per_y = static_cast<float>(1 << y_bits) / height;
  grid.last_x = (1U << x_bits) - 1;
  grid.last_y = (1U << y_bits) - 1;
  grid.shared_bits = static_cast<unsigned>(min(x_bits, y_bits));
  grid.wide = skew >= 0;
  return grid;
}

/// The cell of candidate `index` of n; those that are no boxes are spread over all cells.
__device__ __forceinline__ unsigned cell_of(const CellGrid& grid, float4 box, unsigned index,
                                            unsigned n) {
  if (!valid_box(box)) return index * kCells / n;
  // NaN and what is negative become 0.
  const unsigned x = min(__float2uint_rz((box.x + box.z - grid.x0) * grid.per_x), grid.last_x);
  const unsigned y = min(__float2uint_rz((box.y + box.w - grid.y0) * grid.per_y), grid.last_y);
  const unsigned longer = grid.wide ? x : y;
  const unsigned shorter = grid.wide ? y : x;
  const unsigned low = longer & ((1U << grid.shared_bits) - 1);
  unsigned both = low | (shorter << 16);  // six bits each, spread apart together
  both = (both | (both << 4)) & 0x030F030FU;
  both = (both | (both << 2)) & 0x03330333U;
  both = (both | (both << 1)) & 0x05550555U;
  return ((longer >> grid.shared_bits) << (2 * grid.shared_bits)) | ((both >> 16) << 1) |
         (both & 0xffffU);
}

/// Cells of candidates, remembered as long as there is room.
struct CellMemory {
  std::uint16_t* cells;
  unsigned room;
};

__device__ __forceinline__ unsigned remembered_cell(const CellMemory& memory, const CellGrid& grid,
                                                    const View& view, unsigned index, unsigned n) {
  return index < memory.room ? memory.cells[index]
                             : cell_of(grid, __ldg(view.boxes + index), index, n);
}

/// Counts all candidates by cell. `counts` must be zero; ends with a barrier.
__device__ inline void count_cells(const View& view, unsigned n, const CellGrid& grid,
                                   const CellMemory& memory, unsigned* counts) {
  for (unsigned first = threadIdx.x; first < n; first += kLoads * kThreads) {
    float4 boxes[kLoads];
    load_boxes(view, n, first, boxes);
#pragma unroll
    for (unsigned q = 0; q < kLoads; ++q) {
      const unsigned i = first + q * kThreads;
      if (i >= n) break;
      const unsigned cell = cell_of(grid, boxes[q], i, n);
      if (i < memory.room) memory.cells[i] = static_cast<std::uint16_t>(cell);
      atomicAdd(counts + cell, 1U);
    }
  }
  __syncthreads();
}

/// The cells and the number of candidates that a CTA owns.
struct Share {
  unsigned first_cell, end_cell;
  unsigned first, end;  ///< candidates in the cells before them
  bool crowded;         ///< some CTA would own too many; the same in all CTAs
  __device__ bool owns(unsigned cell) const { return cell - first_cell < end_cell - first_cell; }
  __device__ unsigned rows() const { return end - first; }
};

struct ShareMemory {
  unsigned warp_sums[kWarps];
  unsigned first_cell, end_cell, first, end;
};

/// Turns counts by cell into the number of candidates in the cells before each, and finds the share of
/// `share_size` candidates that begins at `begin`. Ends with a barrier.
__device__ inline Share deal_out(unsigned* counts, unsigned n, unsigned begin, unsigned share_size,
                                 unsigned rows_limit, ShareMemory& memory) {
  static_assert(kCells == 4 * kThreads);
  uint4& mine = reinterpret_cast<uint4*>(counts)[threadIdx.x];
  const uint4 count = mine;
  const unsigned sum = count.x + count.y + count.z + count.w;
  const unsigned up_to_here = warp_inclusive_sum(sum);
  if (lane_id() == 31) memory.warp_sums[warp_id()] = up_to_here;
  if (threadIdx.x == 0) {
    memory.first_cell = begin == 0 ? 0 : kCells;
    memory.first = begin == 0 ? 0 : n;
    memory.end_cell = kCells;
    memory.end = n;
  }
  const unsigned fullest = max(max(count.x, count.y), max(count.z, count.w));
  const bool crowded = __syncthreads_or(fullest + share_size > rows_limit) != 0;
  const unsigned warps_before = warp_id() > lane_id() ? memory.warp_sums[lane_id()] : 0;
  unsigned before = __shfl_sync(kAllLanes, warp_inclusive_sum(warps_before), 31) + up_to_here - sum;
  const unsigned counted[4] = {count.x, count.y, count.z, count.w};
  unsigned starts[4];
#pragma unroll
  for (unsigned q = 0; q < 4; ++q) {
    starts[q] = before;
    const unsigned after = before + counted[q];
    const unsigned next_cell = 4 * threadIdx.x + q + 1;
    if (before < begin && begin <= after) {
      memory.first_cell = next_cell;
      memory.first = after;
    }
    if (before < begin + share_size && begin + share_size <= after) {
      memory.end_cell = next_cell;
      memory.end = after;
    }
    before = after;
  }
  mine = make_uint4(starts[0], starts[1], starts[2], starts[3]);
  __syncthreads();
  return {memory.first_cell, memory.end_cell, memory.first, memory.end, crowded};
}

}  // namespace facepipe::nms
