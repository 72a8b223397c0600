// Which candidates a CTA owns. See Note [Ownership].
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"

namespace facepipe::nms {

// Note [Ownership]
// ~~~~~~~~~~~~~~~~
// The order of candidates is the caller's: raster order, or none. What a CTA decides should lie
// close together in the picture, because then most of what its boxes overlap is its own too. So the
// plane is cut into 1,024 cells along a Hilbert curve, which never jumps, candidates are counted by
// the cell of their centre, and the cells are dealt out along the curve: a cell belongs to CTA
// floor(E / share), where E is the number of candidates in the cells before it. Every CTA does this
// for itself: reading 4,096 boxes from L2 and counting them takes less time than one barrier across
// the grid and a permutation. Whole cells are dealt out, so nothing depends on the order in which
// threads count. A share is exceeded by at most the fullest cell; where cells are too full for that
// (identical boxes), no CTA rounds at all and the sweep takes over, which all CTAs see alike. The
// grid decides about balance alone, never about the result.

inline constexpr int kCellBits = 5;
inline constexpr unsigned kSide = 1U << kCellBits;
inline constexpr unsigned kCells = kSide * kSide;

/// Where each cell of a square lies along a Hilbert curve from (0, 0) to (kSide - 1, 0).
struct Curve {
  std::uint16_t place[kCells];  ///< of (x, y) at y * kSide + x
};

constexpr Curve make_curve() {
  Curve curve{};
  for (unsigned cell = 0; cell < kCells; ++cell) {
    unsigned x = cell % kSide;
    unsigned y = cell / kSide;
    unsigned place = 0;
    for (unsigned half = kSide / 2; half > 0; half /= 2) {
      const bool right = (x & half) != 0;
      const bool upper = (y & half) != 0;
      place += half * half * (right ? (upper ? 2 : 3) : (upper ? 1 : 0));
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
    curve.place[cell] = static_cast<std::uint16_t>(place);
  }
  return curve;
}

alignas(16) __device__ const Curve kCurve = make_curve();

struct CellGrid {
  float x_scale, x_bias, y_scale, y_bias;  ///< of doubled centres, to [0, 1]
  float x_last, y_last;                    ///< cells in each direction, less one
  unsigned shared_bits;  ///< of each axis in a square; the longer one has several squares in a row
  bool x_is_first;       ///< in the square's table
  bool wide;
};

/// The box around the centres that a thread has seen, doubled; far ones don't count.
__device__ __forceinline__ void widen(float4& range, float4 box) {
  constexpr float kFar = 1e30F;
  const float x = box.x + box.z;
  const float y = box.y + box.w;
  if (fabsf(x) < kFar && fabsf(y) < kFar) range = bounds_of(range, make_float4(x, y, x, y));
}

/// A grid over what all threads have seen. A range of one point, or none at all, gives a grid too.
/// Has a barrier within.
__device__ __forceinline__ CellGrid grid_over(float4 range, float (&of_warps)[kWarps][4]) {
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
  // Cells about as wide as high.
  const int skew =
      max(-kCellBits, min(kCellBits, __float2int_rn(0.5F * (__log2f(width) - __log2f(height)))));
  CellGrid grid;
  grid.x_scale = __fdividef(1.0F, width);
  grid.y_scale = __fdividef(1.0F, height);
  grid.x_bias = -range.x * grid.x_scale;
  grid.y_bias = -range.y * grid.y_scale;
  grid.x_last = static_cast<float>((1 << (kCellBits + skew)) - 1);
  grid.y_last = static_cast<float>((1 << (kCellBits - skew)) - 1);
  grid.shared_bits = static_cast<unsigned>(kCellBits - abs(skew));
  grid.wide = skew >= 0;
  // The first squares of a curve are curves themselves, of which every other one is turned over.
  grid.x_is_first = grid.wide == (skew % 2 == 0);
  return grid;
}

/// One of `last` + 1 steps in [0, 1]: the fraction of a float at 2^23 counts whole numbers.
__device__ __forceinline__ unsigned step_of(float doubled, float scale, float bias, float last) {
  const float place = __saturatef(fmaf(doubled, scale, bias));  // NaN becomes 0
  return __float_as_uint(fmaf(place, last, 8388608.0F)) & (kCells - 1);
}

__device__ __forceinline__ unsigned cell_of(const CellGrid& grid, const Curve& curve, float4 box) {
  const unsigned x = step_of(box.x + box.z, grid.x_scale, grid.x_bias, grid.x_last);
  const unsigned y = step_of(box.y + box.w, grid.y_scale, grid.y_bias, grid.y_last);
  const unsigned first = grid.x_is_first ? x : y;
  const unsigned second = grid.x_is_first ? y : x;
  const unsigned mask = (1U << grid.shared_bits) - 1;
  const unsigned square = (grid.wide ? x : y) >> grid.shared_bits;
  return (square << 2 * grid.shared_bits) | curve.place[(second & mask) * kSide + (first & mask)];
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
  unsigned crowded;
};

inline constexpr unsigned kCellsEach = kCells / kThreads;

/// Where share `begin`, in candidates, begins, should that be among this thread's cells.
__device__ __forceinline__ void find_cell(const unsigned (&counted)[kCellsEach], unsigned before,
                                          unsigned begin, unsigned& cell, unsigned& first) {
#pragma unroll
  for (unsigned q = 0; q < kCellsEach; ++q) {
    const unsigned after = before + counted[q];
    if (before < begin && begin <= after) {
      cell = kCellsEach * threadIdx.x + q + 1;
      first = after;
    }
    before = after;
  }
}

/// Turns counts by cell into the number of candidates in the cells before each, as far as the CTA
/// owns them, and finds the share of `share_size` candidates that begins at `begin`. memory.crowded
/// must be zero. Ends with a barrier.
__device__ __forceinline__ Share deal_out(unsigned* counts, unsigned n, unsigned begin,
                                          unsigned share_size, unsigned rows_limit,
                                          ShareMemory& memory) {
  unsigned* const mine = counts + kCellsEach * threadIdx.x;
  unsigned counted[kCellsEach];
  unsigned sum = 0;
  unsigned fullest = 0;
#pragma unroll
  for (unsigned q = 0; q < kCellsEach; q += 2) {
    const uint2 two = *reinterpret_cast<const uint2*>(mine + q);
    counted[q] = two.x;
    counted[q + 1] = two.y;
    sum += two.x + two.y;
    fullest = max(fullest, max(two.x, two.y));
  }
  const unsigned up_to_here = warp_inclusive_sum(sum);
  if (lane_id() == 31) memory.warp_sums[warp_id()] = up_to_here;
  if (threadIdx.x == 0) {
    memory.first_cell = begin == 0 ? 0 : kCells;
    memory.first = begin == 0 ? 0 : n;
    memory.end_cell = kCells;
    memory.end = n;
  }
  if (fullest + share_size > rows_limit) memory.crowded = 1;
  __syncthreads();
  const unsigned warps_before = warp_sum(lane_id() < warp_id() ? memory.warp_sums[lane_id()] : 0);
  unsigned before = warps_before + up_to_here - sum;
  const unsigned after = before + sum;
  const unsigned end = begin + share_size;
  // Few threads have cells of this CTA, and one each where its share begins and ends.
  if (before < begin && begin <= after)
    find_cell(counted, before, begin, memory.first_cell, memory.first);
  if (before < end && end <= after) find_cell(counted, before, end, memory.end_cell, memory.end);
  if (before < end && begin <= after) {
#pragma unroll
    for (unsigned q = 0; q < kCellsEach; q += 2) {
      *reinterpret_cast<uint2*>(mine + q) = make_uint2(before, before + counted[q]);
      before += counted[q] + counted[q + 1];
    }
  }
  __syncthreads();
  return {memory.first_cell, memory.end_cell, memory.first, memory.end, memory.crowded != 0};
}

}  // namespace facepipe::nms
