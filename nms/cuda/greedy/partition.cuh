// Partitions the candidates among the thread blocks. See Note [Partition].
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"

namespace facepipe::nms {

// Note [Partition]
// ~~~~~~~~~~~~~~~~
// Candidates come in any order. The candidates that a block decides should lie close together in
// the picture. Then the same block decides most of the boxes that they overlap. So the plane is
// divided into 1,024 cells. The cells are ordered along a Hilbert curve, on which successive cells
// are neighbours. Candidates are counted by the cell of their centre. A cell belongs to block
// floor(E / S): E is the number of candidates in all cells before it, and S is the partition size.
//
// Every block computes this for itself: it reads 4,096 boxes from L2 and counts them. That takes
// less time than a barrier across the grid and a permutation of the candidates. Cells are never
// split, so the partition doesn't depend on the order in which threads count. A partition exceeds S
// by at most the candidates of one cell. If a cell has so many candidates that a block can't own
// them (identical boxes, for example), the partition is overfull. All blocks find this out by
// themselves, and all of them take the fallback (fallback.cuh). Cells only balance the work; the
// result doesn't depend on them.

inline constexpr int kCellBits = 5;
inline constexpr unsigned kCurveSide = 1U << kCellBits;
inline constexpr unsigned kGridCells = kCurveSide * kCurveSide;

/// Holds the positions of the cells of a square along a Hilbert curve from (0, 0) to (kCurveSide -
/// 1, 0).
struct HilbertCurve {
  std::uint16_t position[kGridCells];  ///< position of (x, y), at y * kCurveSide + x
};

constexpr HilbertCurve make_hilbert_curve() {
  HilbertCurve curve{};
  for (unsigned cell = 0; cell < kGridCells; ++cell) {
    unsigned x = cell % kCurveSide;
    unsigned y = cell / kCurveSide;
    unsigned position = 0;
    for (unsigned half = kCurveSide / 2; half > 0; half /= 2) {
      const bool right = (x & half) != 0;
      const bool upper = (y & half) != 0;
      position += half * half * (right ? (upper ? 2 : 3) : (upper ? 1 : 0));
      x &= half - 1;
      y &= half - 1;
      if (upper) continue;
      if (right) {
        x = half - 1 - x;
        y = half - 1 - y;
      }
      const unsigned swapped = x;
      x = y;
      y = swapped;
    }
    curve.position[cell] = static_cast<std::uint16_t>(position);
  }
  return curve;
}

alignas(16) __device__ const HilbertCurve kHilbertCurve = make_hilbert_curve();

/// Maps centres to cells. The grid has 2^a x 2^b cells, a + b = 10, and consists of one or more
/// squares side by side along its longer axis. A part of the Hilbert curve runs through each
/// square.
struct CellGrid {
  float x_scale, x_bias, y_scale, y_bias;  ///< map twice the centre to [0, 1]
  float x_last, y_last;                    ///< number of cells on each axis, minus one
  unsigned square_bits;                    ///< a square has 2^square_bits x 2^square_bits cells
  bool x_is_first;                         ///< x is the first axis of HilbertCurve; otherwise y is
  bool wide;                               ///< squares follow each other along x; otherwise along y
};

/// Extends `range` by the centre of a box. `range` is in doubled coordinates (x1 + x2, y1 + y2).
/// Centres that are NaN, infinite or very far away are ignored.
__device__ __forceinline__ void include_centre(float4& range, float4 box) {
  constexpr float kFar = 1e30F;
  const float x = box.x + box.z;
  const float y = box.y + box.w;
  if (fabsf(x) < kFar && fabsf(y) < kFar) range = bounds_of(range, make_float4(x, y, x, y));
}

/// Returns the grid over the union of all threads' ranges. The grid is valid even if the range is
/// empty or only one point. All threads of the block must call it, because it contains a barrier.
__device__ __forceinline__ CellGrid make_grid(float4 range, float (&of_warps)[kWarps][4]) {
  const float least = warp_least_of_four(range.x, range.y, -range.z, -range.w);
  if (lane_id() < 4) of_warps[warp_id()][lane_id()] = least;
  __syncthreads();
  float all = of_warps[0][lane_id() % 4];
#pragma unroll
  for (unsigned first = 0; first < kWarps; first += 8)
    all = fminf(all, of_warps[first + lane_id() / 4][lane_id() % 4]);
#pragma unroll
  for (int step = 4; step < 32; step *= 2) all = fminf(all, __shfl_xor_sync(kAllLanes, all, step));
  range = gathered_box(all);
  const float width = range.z - range.x;
  const float height = range.w - range.y;
  // This makes cells about as wide as high.
  const int skew =
      max(-kCellBits, min(kCellBits, __float2int_rn(0.5F * (__log2f(width) - __log2f(height)))));
  CellGrid grid;
  grid.x_scale = __fdividef(1.0F, width);
  grid.y_scale = __fdividef(1.0F, height);
  grid.x_bias = -range.x * grid.x_scale;
  grid.y_bias = -range.y * grid.y_scale;
  grid.x_last = static_cast<float>((1 << (kCellBits + skew)) - 1);
  grid.y_last = static_cast<float>((1 << (kCellBits - skew)) - 1);
  grid.square_bits = static_cast<unsigned>(kCellBits - abs(skew));
  grid.wide = skew >= 0;
  // The first 4^k cells of a Hilbert curve fill a square of 2^k cells a side. They are a Hilbert
  // curve themselves, whose axes are exchanged for every other k.
  grid.x_is_first = grid.wide == (skew % 2 == 0);
  return grid;
}

/// Returns the index of a cell along an axis, 0..last. Adding 2^23 to a float rounds it to a whole
/// number, which is then in the lower bits of the sum.
__device__ __forceinline__ unsigned cell_coordinate(float doubled, float scale, float bias,
                                                    float last) {
  const float position = __saturatef(fmaf(doubled, scale, bias));  // NaN becomes 0
  return __float_as_uint(fmaf(position, last, 8388608.0F)) & (kGridCells - 1);
}

__device__ __forceinline__ unsigned cell_of(const CellGrid& grid, const HilbertCurve& curve,
                                            float4 box) {
  const unsigned x = cell_coordinate(box.x + box.z, grid.x_scale, grid.x_bias, grid.x_last);
  const unsigned y = cell_coordinate(box.y + box.w, grid.y_scale, grid.y_bias, grid.y_last);
  const unsigned first = grid.x_is_first ? x : y;
  const unsigned second = grid.x_is_first ? y : x;
  const unsigned mask = (1U << grid.square_bits) - 1;
  const unsigned square = (grid.wide ? x : y) >> grid.square_bits;
  return (square << 2 * grid.square_bits) |
         curve.position[(second & mask) * kCurveSide + (first & mask)];
}

/// Describes the cells that a block owns: [first_cell, end_cell) along the curve.
struct Partition {
  unsigned first_cell, end_cell;
  unsigned first,
      end;        ///< number of candidates in the cells before first_cell, and before end_cell
  bool overfull;  ///< some block would own too many candidates; equal in all blocks
  __device__ bool owns(unsigned cell) const { return cell - first_cell < end_cell - first_cell; }
  __device__ unsigned rows() const { return end - first; }
};

/// Holds what the threads of a block share to find its partition.
struct PartitionMemory {
  unsigned warp_sums[kWarps];
  unsigned first_cell, end_cell, first, end;
  unsigned overfull;
};

inline constexpr unsigned kCellsPerThread = kGridCells / kThreads;

/// Sets `cell` to the first cell that has at least `begin` candidates before it, and `first` to the
/// number of these candidates. `before` is the number of candidates before the thread's own cells.
/// Only one thread may call this function: the thread that has counted the cell directly before
/// `cell`.
__device__ __forceinline__ void find_boundary(const unsigned (&counted)[kCellsPerThread],
                                              unsigned before, unsigned begin, unsigned& cell,
                                              unsigned& first) {
#pragma unroll
  for (unsigned q = 0; q < kCellsPerThread; ++q) {
    const unsigned after = before + counted[q];
    if (before < begin && begin <= after) {
      cell = kCellsPerThread * threadIdx.x + q + 1;
      first = after;
    }
    before = after;
  }
}

/// Finds the block's partition: the cells for which the number of candidates in all earlier cells
/// is at least `begin` and less than `begin` + `partition_size`. On entry, counts[c] must be the
/// number of candidates in cell c, and memory.overfull must be 0. On return, counts[c] is the
/// number of candidates in all cells before c, for each cell c of the partition. Ends with a
/// barrier.
__device__ __forceinline__ Partition find_partition(unsigned* counts, unsigned n, unsigned begin,
                                                    unsigned partition_size, unsigned max_rows,
                                                    PartitionMemory& memory) {
  unsigned* const mine = counts + kCellsPerThread * threadIdx.x;
  unsigned counted[kCellsPerThread];
  unsigned sum = 0;
  unsigned largest_cell = 0;
#pragma unroll
  for (unsigned q = 0; q < kCellsPerThread; q += 2) {
    const uint2 two = *reinterpret_cast<const uint2*>(mine + q);
    counted[q] = two.x;
    counted[q + 1] = two.y;
    sum += two.x + two.y;
    largest_cell = max(largest_cell, max(two.x, two.y));
  }
  const unsigned up_to_here = warp_inclusive_sum(sum);
  if (lane_id() == 31) memory.warp_sums[warp_id()] = up_to_here;
  if (threadIdx.x == 0) {
    memory.first_cell = begin == 0 ? 0 : kGridCells;
    memory.first = begin == 0 ? 0 : n;
    memory.end_cell = kGridCells;
    memory.end = n;
  }
  if (largest_cell + partition_size > max_rows) memory.overfull = 1;
  __syncthreads();
  const unsigned warps_before = warp_sum(lane_id() < warp_id() ? memory.warp_sums[lane_id()] : 0);
  unsigned before = warps_before + up_to_here - sum;
  const unsigned after = before + sum;
  const unsigned end = begin + partition_size;
  // Only a few threads have cells of this partition. One of these threads finds the first cell of
  // the partition, and one finds its end.
  if (before < begin && begin <= after)
    find_boundary(counted, before, begin, memory.first_cell, memory.first);
  if (before < end && end <= after)
    find_boundary(counted, before, end, memory.end_cell, memory.end);
  if (before < end && begin <= after) {
#pragma unroll
    for (unsigned q = 0; q < kCellsPerThread; q += 2) {
      *reinterpret_cast<uint2*>(mine + q) = make_uint2(before, before + counted[q]);
      before += counted[q] + counted[q + 1];
    }
  }
  __syncthreads();
  return {memory.first_cell, memory.end_cell, memory.first, memory.end, memory.overfull != 0};
}

}  // namespace facepipe::nms
