#include <algorithm>

#include "core/cuda/check.h"
#include "experiments/programs/acf_variants/steps.cuh"

namespace facepipe::acf_variants {
namespace {

__global__ void __launch_bounds__(kWindowThreads)
    windows_kernel(const __grid_constant__ VariantArguments arguments) {
  const std::uint32_t place = place_of_thread();
  std::int32_t sum = 0;
  if (is_left(arguments, place, arguments.plan.classifier.tree_count, sum))
    list(arguments, window_at(arguments, place), sum);
}

template <Exit kExit>
__global__ void __launch_bounds__(kStageThreads)
    stages_kernel(const __grid_constant__ VariantArguments arguments) {
  finish_window<kExit>(arguments, blockIdx.x, 0, 0);
}

__global__ void __launch_bounds__(kWindowThreads)
    first_kernel(const __grid_constant__ VariantArguments arguments) {
  const std::uint32_t place = place_of_thread();
  std::int32_t sum = 0;
  if (is_left(arguments, place, arguments.first_trees, sum)) add_alive(arguments.alive, place, sum);
}

__global__ void __launch_bounds__(kStageThreads)
    rest_kernel(const __grid_constant__ VariantArguments arguments) {
  const std::uint32_t count = *arguments.alive.count;
  for (std::uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
    const detector::acf::SummedPlace window = arguments.alive.windows[i];
    finish_window<Exit::as_one_by_one>(arguments, window.place, arguments.first_trees, window.sum);
  }
}

unsigned blocks_at_once() {
  int device = 0;
  int processors = 0;
  int blocks = 0;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  FACEPIPE_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  FACEPIPE_CUDA_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rest_kernel, kStageThreads, 0));
  return static_cast<unsigned>(std::max(1, blocks * processors));
}

}  // namespace

void launch_windows(const VariantArguments& arguments, cuda::StreamView stream) {
  windows_kernel<<<window_blocks(arguments), kWindowThreads, 0, stream.get()>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_stages(const VariantArguments& arguments, Exit exit, cuda::StreamView stream) {
  const auto kernel = exit == Exit::as_one_by_one ? stages_kernel<Exit::as_one_by_one>
                                                  : stages_kernel<Exit::of_whole_groups>;
  kernel<<<arguments.windows, kStageThreads, 0, stream.get()>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_first(const VariantArguments& arguments, cuda::StreamView stream) {
  first_kernel<<<window_blocks(arguments), kWindowThreads, 0, stream.get()>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_rest(const VariantArguments& arguments, cuda::StreamView stream) {
  rest_kernel<<<blocks_at_once(), kStageThreads, 0, stream.get()>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::acf_variants
