// Kernels that launch kernels. They are in a separate file, because they are linked on the device
// (-rdc, cudadevrt).
#include "core/cuda/check.h"
#include "experiments/programs/acf_variants/steps.cuh"

namespace facepipe::acf_variants {
namespace {

/// Each block finishes one listed window.
__global__ void __launch_bounds__(kStageThreads)
    listed_kernel(const __grid_constant__ VariantArguments arguments) {
  const detector::acf::SummedPlace window = arguments.alive.windows[blockIdx.x];
  finish_window<Exit::as_one_by_one>(arguments, window.place, arguments.first_trees, window.sum);
}

/// The kernel counts its own blocks, because CUDA may drop a launch without an error if the device
/// has no room for it.
__global__ void __launch_bounds__(kStageThreads)
    one_kernel(const __grid_constant__ VariantArguments arguments, std::uint32_t place,
               std::int32_t sum) {
  if (threadIdx.x == 0) atomicAdd(arguments.alive.blocks, 1U);
  finish_window<Exit::as_one_by_one>(arguments, place, arguments.first_trees, sum);
}

/// The last block that ends knows the number of listed windows. A kernel can't wait for a kernel
/// that it launches: a tail launch begins when the launching kernel is complete.
__global__ void __launch_bounds__(kWindowThreads)
    tail_kernel(const __grid_constant__ VariantArguments arguments) {
  const std::uint32_t place = place_of_thread();
  std::int32_t sum = 0;
  if (is_left(arguments, place, arguments.first_trees, sum)) add_alive(arguments.alive, place, sum);
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(arguments.alive.blocks, 1U) + 1 < gridDim.x) return;
  const unsigned count = atomicAdd(arguments.alive.count, 0U);
  if (count == 0) return;
  listed_kernel<<<count, kStageThreads, 0, cudaStreamTailLaunch>>>(arguments);
}

/// The launched kernels run as soon as possible. This kernel is complete when all of them are.
__global__ void __launch_bounds__(kWindowThreads)
    launching_kernel(const __grid_constant__ VariantArguments arguments) {
  const std::uint32_t place = place_of_thread();
  std::int32_t sum = 0;
  if (!is_left(arguments, place, arguments.first_trees, sum)) return;
  atomicAdd(arguments.alive.count, 1U);
  one_kernel<<<1, kStageThreads, 0, cudaStreamFireAndForget>>>(arguments, place, sum);
}

}  // namespace

void launch_with_tail(const VariantArguments& arguments, cuda::StreamView stream) {
  tail_kernel<<<window_blocks(arguments), kWindowThreads, 0, stream.get()>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_launches(const VariantArguments& arguments, cuda::StreamView stream) {
  launching_kernel<<<window_blocks(arguments), kWindowThreads, 0, stream.get()>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void prepare_launches() {
  FACEPIPE_CUDA_CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, kMostLaunches));
}

}  // namespace facepipe::acf_variants
