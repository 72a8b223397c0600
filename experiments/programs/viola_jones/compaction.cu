#include "core/cuda/check.h"
#include "experiments/programs/viola_jones/window.cuh"

namespace facepipe::viola_jones {
namespace {

constexpr int kThreads = 64;  // threads of a block, as in OpenCV

/// Lists the places of all threads for which `pass` is true, with one atomic addition for each
/// warp.
__device__ void list(bool pass, std::uint32_t place, const PlaceList& to) {
  const unsigned passing = __ballot_sync(~0U, pass);
  if (passing == 0) return;
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t first = 0;
  if (lane == 0) first = atomicAdd(to.count, static_cast<unsigned>(__popc(passing)));
  first = __shfl_sync(~0U, first, 0);
  if (pass) to.places[first + __popc(passing & ((1U << lane) - 1))] = place;
}

__global__ void __launch_bounds__(kThreads)
    first_stages_kernel(const __grid_constant__ ScaleLaunch scale, int end_stage, PlaceList to) {
  const int column = kThreads * blockIdx.x + threadIdx.x;
  const int row = blockIdx.y;
  const bool pass =
      column < scale.places.width && Window(scale, column, row).passes_all(scale, 0, end_stage);
  list(pass, static_cast<std::uint32_t>(row) << 16 | static_cast<std::uint32_t>(column), to);
}

__global__ void __launch_bounds__(kThreads)
    listed_stages_kernel(const __grid_constant__ ScaleLaunch scale, const std::uint32_t* places,
                         std::uint32_t count, int first_stage, int end_stage, PlaceList to) {
  const unsigned i = kThreads * blockIdx.x + threadIdx.x;
  const std::uint32_t place = i < count ? places[i] : 0;
  const int column = static_cast<int>(place & 0xFFFF);
  const int row = static_cast<int>(place >> 16);
  const bool pass =
      i < count && Window(scale, column, row).passes_all(scale, first_stage, end_stage);
  list(pass, place, to);
}

/// Returns the sum over the block's threads.
__device__ std::int32_t sum_of_block(std::int32_t mine, std::int32_t* partial) {
  partial[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned distance = kThreads / 2; distance > 0; distance /= 2) {
    if (threadIdx.x < distance) partial[threadIdx.x] += partial[threadIdx.x + distance];
    __syncthreads();
  }
  const std::int32_t sum = partial[0];
  __syncthreads();  // no thread may overwrite partial[0] before all have read it
  return sum;
}

__global__ void __launch_bounds__(kThreads)
    last_stages_kernel(const __grid_constant__ ScaleLaunch scale, const std::uint32_t* places,
                       int first_stage) {
  __shared__ std::int32_t partial[kThreads];
  const std::uint32_t place = places[blockIdx.x];
  const int column = static_cast<int>(place & 0xFFFF);
  const int row = static_cast<int>(place >> 16);
  const Window window(scale, column, row);
  for (int i = first_stage; i < scale.stage_count; ++i) {
    const StageSpan& stage = scale.stages[i];
    std::int32_t sum = 0;
    for (int k = stage.first + static_cast<int>(threadIdx.x); k < stage.first + stage.count;
         k += kThreads)
      sum += window.vote(scale.stumps[k]);
    if (sum_of_block(sum, partial) < stage.threshold) return;
  }
  if (threadIdx.x == 0) append(scale, column, row);
}

}  // namespace

void launch_first_stages(const ScaleLaunch& scale, std::int32_t end_stage, const PlaceList& to,
                         cuda::StreamView stream) {
  const dim3 grid((scale.places.width + kThreads - 1) / kThreads, scale.places.height);
  first_stages_kernel<<<grid, kThreads, 0, stream.get()>>>(scale, end_stage, to);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_listed_stages(const ScaleLaunch& scale, const std::uint32_t* places,
                          std::uint32_t count, std::int32_t first_stage, std::int32_t end_stage,
                          const PlaceList& to, cuda::StreamView stream) {
  if (count == 0) return;  // an empty grid isn't allowed
  listed_stages_kernel<<<(count + kThreads - 1) / kThreads, kThreads, 0, stream.get()>>>(
      scale, places, count, first_stage, end_stage, to);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_last_stages(const ScaleLaunch& scale, const std::uint32_t* places, std::uint32_t count,
                        std::int32_t first_stage, cuda::StreamView stream) {
  if (count == 0) return;  // an empty grid isn't allowed
  last_stages_kernel<<<count, kThreads, 0, stream.get()>>>(scale, places, first_stage);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::viola_jones
