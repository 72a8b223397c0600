#include "experiments/programs/nms_papers/grid_matrix.h"

#include "core/error.h"
#include "experiments/programs/nms_papers/survivors.h"
#include "nms/cuda/cooperative.h"
#include "nms/cuda/matrix.h"
#include "nms/cuda/matrix_steps.cuh"
#include "nms/cuda/overlaps.cuh"

namespace facepipe::nms_papers {
namespace {

struct GridArguments {
  nms::MapArguments map;
  nms::ReduceArguments reduce;
  std::uint32_t* barrier;
  std::uint32_t phase_bits;
};

template <class Overlap>
__global__ void __launch_bounds__(1024) grid_matrix_kernel(const GridArguments arguments) {
  const unsigned n = min(__ldg(arguments.map.view.count), arguments.map.view.capacity);
  nms::map_tiles<Overlap>(arguments.map, n, blockIdx.x, gridDim.x, blockDim.x / 32);
  nms::grid_barrier(arguments.barrier, {arguments.phase_bits});
  nms::reduce_rows(arguments.reduce, n, blockIdx.x, gridDim.x);
}

using Kernel = void (*)(GridArguments);

Kernel kernel_for(const nms::NmsOptions& options) {
  return nms::with_overlap(options.overlap, [](auto overlap) -> Kernel {
    return grid_matrix_kernel<decltype(overlap)>;
  });
}

std::uint32_t blocks_that_fit(Kernel kernel, std::uint32_t threads, std::uint32_t multiprocessors) {
  int each = 0;
  FACEPIPE_CUDA_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, static_cast<int>(threads), 0));
  if (multiprocessors == nms::kAllMultiprocessors)
    multiprocessors =
        static_cast<std::uint32_t>(nms::device_attribute(cudaDevAttrMultiProcessorCount));
  return static_cast<std::uint32_t>(each) * multiprocessors;
}

}  // namespace

GridMatrix::GridMatrix(const nms::NmsOptions& options, std::uint32_t multiprocessors)
    : options_(options) {
  const std::uint32_t d_max = options.matrix.d_max;
  nms::check_nms_options(options, d_max);
  threads_ = (d_max - 1) / options.matrix.k + 1;
  if (threads_ % 32 != 0)
    throw Error(ErrorKind::usage, "NMS matrix.k: D_max / k must be a multiple of 32");
  blocks_ = blocks_that_fit(kernel_for(options), threads_, multiprocessors);
  while ((1U << phase_bits_) < blocks_) ++phase_bits_;
  matrix_ = cuda::DeviceBuffer<std::uint8_t>(d_max * nms::matrix_stride(d_max));
  survives_ = cuda::DeviceBuffer<std::uint8_t>(d_max);
  barrier_ = cuda::DeviceBuffer<std::uint32_t>(1);
  const cuda::Stream stream;
  cuda::fill(barrier_.span(), 0, stream);
  stream.synchronize();
}

void GridMatrix::enqueue(const nms::DeviceCandidates& candidates, cuda::StreamView stream) {
  const std::size_t stride = nms::matrix_stride(options_.matrix.d_max);
  const nms::CandidateView view{reinterpret_cast<const float4*>(candidates.boxes),
                                candidates.scores, candidates.count, options_.matrix.d_max};
  const GridArguments arguments{{view, matrix_.data(), stride, options_.threshold,
                                 options_.matrix.squares, options_.matrix.plus_one},
                                {view, matrix_.data(), stride, survives_.data()},
                                barrier_.data(),
                                phase_bits_};
  nms::launch_cooperatively(kernel_for(options_), blocks_, threads_, 0, stream.get(), arguments);
}

std::vector<std::uint32_t> GridMatrix::kept(std::uint32_t count, cuda::StreamView stream) const {
  return survivors(survives_, count, stream);
}

}  // namespace facepipe::nms_papers
