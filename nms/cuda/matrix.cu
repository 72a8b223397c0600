// Defines the kernels of the rule `matrix`: one for each of the two steps of matrix_steps.cuh.
#include "nms/cuda/matrix.h"

#include "core/cuda/check.h"
#include "nms/cuda/matrix_steps.cuh"
#include "nms/cuda/overlaps.cuh"

namespace facepipe::nms {
namespace {

constexpr unsigned kMapThreads = 256;

// Published: there are D_max^2 threads for any n. Here the grid has a fixed size, because the
// launch may be captured. Its blocks share the tiles of the n detections.
template <class Overlap>
__global__ void __launch_bounds__(kMapThreads) map_kernel(const MapArguments arguments) {
  const unsigned n = min(__ldg(arguments.view.count), arguments.view.capacity);
  map_tiles<Overlap>(arguments, n, blockIdx.x, gridDim.x, kMapThreads / 32);
}

// Each row has its own block, and the device begins a block as soon as another block ends. Rows end
// after different numbers of iterations. If a block took several rows, blocks would end at
// different times.
__global__ void __launch_bounds__(1024) reduce_kernel(const ReduceArguments arguments) {
  const unsigned n = min(__ldg(arguments.view.count), arguments.view.capacity);
  reduce_rows(arguments, n, blockIdx.x, gridDim.x);
}

}  // namespace

void launch_matrix_map(const NmsOptions& options, const CandidateView& view,
                       const MatrixScratch& scratch, std::uint32_t multiprocessors,
                       cudaStream_t stream) {
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

void launch_matrix_reduce(const NmsOptions& options, const CandidateView& view,
                          const MatrixScratch& scratch, cudaStream_t stream) {
  const MatrixOptions& matrix = options.matrix;
  const ReduceArguments arguments{view, scratch.matrix, matrix_stride(matrix.d_max),
                                  scratch.survives};
  // check_nms_options() limits this to the 1,024 threads that a block can have.
  const unsigned threads = (matrix.d_max - 1) / matrix.k + 1;
  reduce_kernel<<<view.capacity, threads, 0, stream>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::nms
