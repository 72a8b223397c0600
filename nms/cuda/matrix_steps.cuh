// Implements the two steps of Oro et al. 2020, Algorithms 1 (map) and 2 (reduce), as functions that
// kernels call. Both do what the paper intends. Where the printed algorithm is wrong or incomplete,
// a comment that begins with "Published:" says what the paper has and what is done here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nms/cuda/device.cuh"

namespace facepipe::nms {

struct MapArguments {
  CandidateView view;
  std::uint8_t* matrix;
  std::size_t stride;
  float threshold;
  bool squares, plus_one;
};

/// Size of a warp's tile of the matrix. Each lane has four neighbouring columns, and writes them as
/// one word.
inline constexpr unsigned kTileColumns = 128;
inline constexpr unsigned kTileRows = 32;

struct MatrixDetection {
  Box box;
  float area;
  std::uint64_t key;
};

__device__ __forceinline__ MatrixDetection detection_at(const MapArguments& arguments, unsigned n,
                                                        unsigned i) {
  MatrixDetection d{as_box(empty_box()), 0, 0};
  // Published: D has zeros after the last detection. The condition z = 0 detects them, but it is
  // tested only for the column. So a padding row survives, and a padding column outranks negative
  // scores. Here detections with index >= n are not read. An invalid detection has the key 0, so it
  // neither suppresses nor is suppressed.
  if (i >= n) return d;
  const float4 box = __ldg(arguments.view.boxes + i);
  const float score = __ldg(arguments.view.scores + i);
  if (!valid(box, score)) return d;
  // Published: a detection is (x, y, z, s), and z is both width and height. Lengths are computed as
  // z + 1 although x + z is the edge. That is a pixel too many. Here boxes have a width and a
  // height and are half-open; squares and + 1 are options.
  // Published: all numbers are integers, so that w * h / a is an integer too. Here all arithmetic
  // is fp32.
  d.box = matrix_box(as_box(box), arguments.squares, arguments.plus_one);
  d.area = area(d.box);
  d.key = key_of(ordered_bits(score), i);
  return d;
}

/// Returns B_ij: 0 if detection j outranks i and suppresses it, otherwise 1.
template <class Overlap>
__device__ __forceinline__ unsigned survives(const MatrixDetection& i, const MatrixDetection& j,
                                             float threshold) {
  // Published: the text has A(d_i) < A(d_j), which compares areas, but it means the scores: s_i <
  // s_j. It doesn't say which of the two areas divides the intersection. In Algorithm 1 the row is
  // the loser, and the column is the winner, whose area divides (overlap winner-area; other
  // overlaps are options). Scores are compared by <, so two candidates of equal scores both
  // survive. Here the lower index outranks the other.
  const bool is_suppressed =
      j.key > i.key && i.key != 0 && Overlap::suppresses(j.box, j.area, i.box, i.area, threshold);
  return is_suppressed ? 0U : 1U;
}

/// Writes the tiles first, first + step, ... of the matrix of n detections. The block has `warps`
/// warps.
// Published: if the block size doesn't divide D_max, the kernel doesn't check that (i, j) lies in
// the matrix. Here tiles end at n.
template <class Overlap>
__device__ __forceinline__ void map_tiles(const MapArguments& arguments, unsigned n, unsigned first,
                                          unsigned step, unsigned warps) {
  const unsigned columns = (n + kTileColumns - 1) / kTileColumns;
  const unsigned tiles = columns * ((n + kTileRows - 1) / kTileRows);
  for (unsigned tile = first; tile < tiles; tile += step) {
    const unsigned column = tile % columns * kTileColumns + 4 * lane_id();
    MatrixDetection winners[4];
#pragma unroll
    for (unsigned q = 0; q < 4; ++q) winners[q] = detection_at(arguments, n, column + q);
    for (unsigned r = warp_id(); r < kTileRows; r += warps) {
      const unsigned i = tile / columns * kTileRows + r;
      if (i >= n) break;
      const MatrixDetection loser = detection_at(arguments, n, i);
      unsigned bytes = 0;
#pragma unroll
      for (unsigned q = 0; q < 4; ++q)
        bytes |= survives<Overlap>(loser, winners[q], arguments.threshold) << 8 * q;
      // Published: cudaMemset sets all D_max^2 bytes of B to 1 beforehand; the paper doesn't report
      // its time. The published kernel needs this, because it writes only half of the bytes, and
      // zeros of the last frame would remain. Here the kernel writes every element of the tile.
      if (column < n)
        *reinterpret_cast<std::uint32_t*>(arguments.matrix + i * arguments.stride + column) = bytes;
    }
  }
}

struct ReduceArguments {
  CandidateView view;
  const std::uint8_t* matrix;
  std::size_t stride;
  std::uint8_t* survives;
};

/// Reduces the rows first, first + step, ... of the matrix of n detections. A block of D_max / k
/// threads reduces a row in at most k iterations; iteration p reads partition p of the row.
// Published: the paper says "D_max / k partitions" in one place and "k partitions" in another. k is
// the number of iterations.
// Published: V[i] is in global memory, where all threads write and read it in each iteration. Here
// it is a register, and the loop ends once the row is suppressed.
// Published: if k doesn't divide D_max, the last columns are never read. Here the iterations
// continue up to column n.
__device__ __forceinline__ void reduce_rows(const ReduceArguments& arguments, unsigned n,
                                            unsigned first, unsigned step) {
  for (unsigned i = first; i < n; i += step) {
    const std::uint8_t* const row = arguments.matrix + i * arguments.stride;
    int is_kept = 1;
    for (unsigned j = threadIdx.x; j - threadIdx.x < n && is_kept != 0; j += blockDim.x)
      is_kept = __syncthreads_and(j >= n || row[j] != 0);
    if (threadIdx.x == 0) arguments.survives[i] = static_cast<std::uint8_t>(is_kept);
  }
}

}  // namespace facepipe::nms
