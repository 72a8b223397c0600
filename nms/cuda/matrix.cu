// Oro et al. 2020, Algorithms 1 (map) and 2 (reduce). Both published kernels are here as they are
// meant; where they could not stand as printed, a comment beginning "Published:" says what was
// changed.
#include "nms/cuda/matrix.h"

#include <algorithm>

#include "core/cuda/check.h"
#include "nms/cuda/device.cuh"
#include "nms/cuda/overlaps.cuh"

namespace facepipe::nms {
namespace {

struct MapArguments {
  View view;
  std::uint8_t* matrix;
  std::size_t stride;
  float threshold;
  bool squares, plus_one;
};

constexpr unsigned kTileColumns = 128;  // a warp's, four a lane, which it writes at once
constexpr unsigned kTileRows = 32;
constexpr unsigned kMapThreads = 256;

struct Detection {
  Box box;
  float area;
  std::uint64_t key;
  std::uint32_t group;
};

__device__ __forceinline__ Detection detection_at(const MapArguments& arguments, unsigned n,
                                                  unsigned i) {
  Detection d{as_box(empty_box()), 0, 0, 0};
  // Published: D holds zeros behind the last detection, and z = 0 marks them, tested at the column
  // alone; so a row of padding survived, and a padding column outranked negative scores. Here what
  // lies behind n is not looked at, and what is no box has no rank.
  if (i >= n) return d;
  const float4 box = __ldg(arguments.view.boxes + i);
  const float score = __ldg(arguments.view.scores + i);
  if (!valid(box, score)) return d;
  // Published: a detection is (x, y, z, s) with z both width and height, and z + 1 where it is
  // measured though x + z is its edge: a pixel too many. Here boxes have two sides and are
  // half-open; squares and + 1 are options. Published in whole numbers, w * h / a is 0 or more:
  // here all is fp32.
  d.box = matrix_box(as_box(box), arguments.squares, arguments.plus_one);
  d.area = area(d.box);
  d.key = key_of(ordered_bits(score), i);
  if (arguments.view.groups != nullptr) d.group = __ldg(arguments.view.groups + i);
  return d;
}

/// B_ij: 0 if detection j outranks i and suppresses it, else 1.
template <class Overlap>
__device__ __forceinline__ unsigned survives(const Detection& i, const Detection& j,
                                             float threshold) {
  // Published: the text has A(d_i) < A(d_j) for s_i < s_j, the area where the score is meant, and
  // leaves open whose area divides: the row is the loser, and Algorithm 1's a is the winner's, the
  // column's (overlap winner-area; the others are options as well). Scores compared by < leave
  // equal ones both standing: here the lower index outranks.
  const bool falls = j.key > i.key && i.key != 0 && j.group == i.group &&
                     Overlap::suppresses(j.box, j.area, i.box, i.area, threshold);
  return falls ? 0U : 1U;
}

// Published: D_max^2 threads, whatever n is; a captured grid has one size, but tiles are dealt out
// as n has them. Nothing guards (i, j) where the block does not divide D_max: tiles end at n.
template <class Overlap>
__global__ void __launch_bounds__(kMapThreads) map_kernel(const MapArguments arguments) {
  const unsigned n = min(__ldg(arguments.view.count), arguments.view.capacity);
  const unsigned columns = (n + kTileColumns - 1) / kTileColumns;
  const unsigned tiles = columns * ((n + kTileRows - 1) / kTileRows);
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const unsigned first = tile % columns * kTileColumns + 4 * lane_id();
    Detection winners[4];
#pragma unroll
    for (unsigned q = 0; q < 4; ++q) winners[q] = detection_at(arguments, n, first + q);
    for (unsigned r = warp_id(); r < kTileRows; r += kMapThreads / 32) {
      const unsigned i = tile / columns * kTileRows + r;
      if (i >= n) break;
      const Detection loser = detection_at(arguments, n, i);
      unsigned bytes = 0;
#pragma unroll
      for (unsigned q = 0; q < 4; ++q)
        bytes |= survives<Overlap>(loser, winners[q], arguments.threshold) << 8 * q;
      // Published: B is 1 everywhere before, by cudaMemset (of D_max^2 bytes, not in the times),
      // and only half of it is written, or the last frame's zeros stay. Here every cell of the tile
      // is.
      if (first < n)
        *reinterpret_cast<std::uint32_t*>(arguments.matrix + i * arguments.stride + first) = bytes;
    }
  }
}

struct ReduceArguments {
  View view;
  const std::uint8_t* matrix;
  std::size_t stride;
  std::uint8_t* survives;
};

// A block for each row, of D_max / k threads; trip p of at most k looks at partition p of the row.
// Published: "D_max / k partitions" here and "k partitions" there: k is the number of trips. V[i]
// lay in global memory, written and read back by all threads in each trip; here it is a register,
// and a row that has fallen needs no further trip. If k did not divide D_max the last columns were
// never read: here the trips go on to n.
__global__ void __launch_bounds__(1024) reduce_kernel(const ReduceArguments arguments) {
  const unsigned n = min(__ldg(arguments.view.count), arguments.view.capacity);
  for (unsigned i = blockIdx.x; i < n; i += gridDim.x) {
    const std::uint8_t* const row = arguments.matrix + i * arguments.stride;
    int stands = 1;
    for (unsigned j = threadIdx.x; j - threadIdx.x < n && stands != 0; j += blockDim.x)
      stands = __syncthreads_and(j >= n || row[j] != 0);
    if (threadIdx.x == 0) arguments.survives[i] = static_cast<std::uint8_t>(stands);
  }
}

}  // namespace

void launch_matrix_map(const NmsOptions& options, const View& view, const MatrixScratch& scratch,
                       std::uint32_t multiprocessors, cudaStream_t stream) {
  const MapArguments arguments{view,
                               scratch.matrix,
                               matrix_stride(options.matrix.d_max),
                               options.threshold,
                               options.matrix.squares,
                               options.matrix.plus_one};
  with_overlap(options.overlap, [&](auto overlap) {
    map_kernel<decltype(overlap)><<<8 * multiprocessors, kMapThreads, 0, stream>>>(arguments);
  });
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_matrix_reduce(const NmsOptions& options, const View& view, const MatrixScratch& scratch,
                          std::uint32_t multiprocessors, cudaStream_t stream) {
  const MatrixOptions& matrix = options.matrix;
  const ReduceArguments arguments{view, scratch.matrix, matrix_stride(matrix.d_max),
                                  scratch.survives};
  // check_nms_options() holds this to the 1,024 threads that a block can have.
  const unsigned threads = (matrix.d_max - 1) / matrix.k + 1;
  const unsigned ctas = std::min(view.capacity, 16 * multiprocessors);
  reduce_kernel<<<ctas, threads, 0, stream>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::nms
