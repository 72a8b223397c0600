#include <algorithm>
#include <stdexcept>

#include "core/cuda/check.h"
#include "experiments/programs/viola_jones/scales.h"
#include "experiments/programs/viola_jones/window.cuh"

namespace facepipe::viola_jones {
namespace {

constexpr int kDynamicWarps = 4;
constexpr int kLanes = 32;

/// Records when its warp was active, if kTimed.
template <bool kTimed>
class WarpClock {
 public:
  __device__ WarpClock() {
    if constexpr (kTimed) begin_ = clock64();
  }
  __device__ void stop(WarpTime* times) const {
    if constexpr (kTimed) {
      __syncwarp();
      const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
      const unsigned warps = blockDim.x * blockDim.y / kLanes;
      if (thread % kLanes != 0) return;
      unsigned multiprocessor = 0;
      asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
      const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
      times[block * warps + thread / kLanes] = {begin_, clock64(), multiprocessor};
    }
  }

 private:
  long long begin_ = 0;
};

template <bool kTimed, int kSide>
__global__ void __launch_bounds__(kSide* kSide)
    basic_kernel(const __grid_constant__ ScaleLaunch scale) {
  const WarpClock<kTimed> clock;
  const int column = kSide * blockIdx.x + threadIdx.x;
  const int row = kSide * (scale.first_block_row + blockIdx.y) + threadIdx.y;
  if (column < scale.places.width && row < scale.places.height &&
      Window(scale, column, row).passes_all(scale, 0, scale.stage_count))
    append(scale, column, row);
  clock.stop(scale.times);
}

__device__ void copy_stumps(ScaledStump* to, const ScaledStump* from, int count, int threads) {
  constexpr int kWords = sizeof(ScaledStump) / sizeof(uint4);
  const auto* const words = reinterpret_cast<const uint4*>(from);
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  for (int i = thread; i < kWords * count; i += threads) reinterpret_cast<uint4*>(to)[i] = words[i];
}

template <bool kTimed, int kSide>
__global__ void __launch_bounds__(kSide* kSide)
    shared_memory_kernel(const __grid_constant__ ScaleLaunch scale) {
  extern __shared__ ScaledStump stumps_of_stage[];
  const WarpClock<kTimed> clock;
  const int column = kSide * blockIdx.x + threadIdx.x;
  const int row = kSide * (scale.first_block_row + blockIdx.y) + threadIdx.y;
  bool passes = column < scale.places.width && row < scale.places.height;
  const Window window(scale, passes ? column : 0, passes ? row : 0);
  for (int i = 0; i < scale.stage_count; ++i) {
    // After this barrier, no thread needs the stumps of the stage before. If no window is left, the
    // block is done.
    if (!__syncthreads_or(passes)) break;
    const StageSpan& stage = scale.stages[i];
    copy_stumps(stumps_of_stage, scale.stumps + stage.first, stage.count, kSide * kSide);
    __syncthreads();
    if (passes) passes = window.passes(stumps_of_stage, stage);
  }
  if (passes) append(scale, column, row);
  clock.stop(scale.times);
}

/// Returns the sum over the warp's lanes, added as a tree in shared memory, as published.
__device__ std::int32_t sum_of_warp(std::int32_t mine, std::int32_t* partial) {
  const unsigned lane = threadIdx.x % kLanes;
  partial[lane] = mine;
  __syncwarp();
  for (unsigned distance = kLanes / 2; distance > 0; distance /= 2) {
    if (lane < distance) partial[lane] += partial[lane + distance];
    __syncwarp();
  }
  const std::int32_t sum = partial[0];
  __syncwarp();  // no lane may overwrite partial[0] before all have read it
  return sum;
}

/// All lanes evaluate a stage together. Each lane takes every 32nd stump.
__device__ bool passes_by_lanes(const ScaleLaunch& scale, const Window& window,
                                const ScaledStump* cached, std::int32_t* partial) {
  const int lane = threadIdx.x % kLanes;
  for (int i = 0; i < scale.stage_count; ++i) {
    const StageSpan& stage = scale.stages[i];
    std::int32_t sum = 0;
    for (int k = stage.first + lane; k < stage.first + stage.count; k += kLanes)
      sum += window.vote(i < scale.shape.cached_stages ? cached[k] : scale.stumps[k]);
    if (sum_of_warp(sum, partial) < stage.threshold) return false;
  }
  return true;
}

template <bool kTimed, int kSide>
__global__ void __launch_bounds__(kDynamicWarps* kLanes)
    dynamic_warp_kernel(const __grid_constant__ ScaleLaunch scale) {
  extern __shared__ ScaledStump cached[];
  __shared__ unsigned next_window;
  __shared__ std::int32_t partial[kDynamicWarps][kLanes];
  const WarpClock<kTimed> clock;
  const StageSpan& last = scale.stages[min(scale.stage_count, scale.shape.cached_stages) - 1];
  copy_stumps(cached, scale.stumps, last.first + last.count, kDynamicWarps * kLanes);
  if (threadIdx.x == 0) next_window = 0;
  __syncthreads();
  for (;;) {
    unsigned taken = 0;
    if (threadIdx.x % kLanes == 0) taken = atomicAdd(&next_window, 1U);
    taken = __shfl_sync(~0U, taken, 0);
    if (taken >= kSide * kSide) break;
    const int column = kSide * blockIdx.x + taken % kSide;
    const int row = kSide * (scale.first_block_row + blockIdx.y) + taken / kSide;
    if (column >= scale.places.width || row >= scale.places.height) continue;
    const Window window(scale, column, row);
    if (passes_by_lanes(scale, window, cached, partial[threadIdx.x / kLanes]) &&
        threadIdx.x % kLanes == 0)
      append(scale, column, row);
  }
  clock.stop(scale.times);
}

std::size_t bytes_of_largest_stage(const ScaleLaunch& scale) {
  std::int32_t most = 0;
  for (int i = 0; i < scale.stage_count; ++i) most = std::max(most, scale.stages[i].count);
  return static_cast<std::size_t>(most) * sizeof(ScaledStump);
}

std::size_t bytes_of_cached_stages(const ScaleLaunch& scale) {
  const StageSpan& last = scale.stages[std::min(scale.stage_count, scale.shape.cached_stages) - 1];
  return static_cast<std::size_t>(last.first + last.count) * sizeof(ScaledStump);
}

template <bool kTimed, int kSide>
void launch(Variant variant, const ScaleLaunch& scale, cudaStream_t stream) {
  const dim3 grid(scale.blocks.width, scale.blocks.height);
  const dim3 square(kSide, kSide);
  switch (variant) {
    case Variant::basic:
      basic_kernel<kTimed, kSide><<<grid, square, 0, stream>>>(scale);
      break;
    case Variant::shared_memory:
      shared_memory_kernel<kTimed, kSide>
          <<<grid, square, bytes_of_largest_stage(scale), stream>>>(scale);
      break;
    case Variant::dynamic_warp:
      dynamic_warp_kernel<kTimed, kSide>
          <<<grid, kDynamicWarps * kLanes, bytes_of_cached_stages(scale), stream>>>(scale);
      break;
  }
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

const char* name_of(Variant variant) {
  switch (variant) {
    case Variant::basic:
      return "static, basic";
    case Variant::shared_memory:
      return "static, shared memory";
    case Variant::dynamic_warp:
      return "dynamic warp";
  }
  return "";
}

std::int32_t warps_of(Variant variant) {
  return variant == Variant::dynamic_warp ? kDynamicWarps : kBlockSide * kBlockSide / kLanes;
}

void launch_variant(Variant variant, const ScaleLaunch& scale, cuda::StreamView stream) {
  if (scale.blocks.width == 0 || scale.blocks.height == 0) return;  // an empty grid isn't allowed
  const cudaStream_t on = stream.get();
  switch (scale.shape.block_side) {
    case kBlockSide:
      return scale.times != nullptr ? launch<true, kBlockSide>(variant, scale, on)
                                    : launch<false, kBlockSide>(variant, scale, on);
    case kBlockSide / 2:
      return launch<false, kBlockSide / 2>(variant, scale, on);
    case kBlockSide * 2:
      return launch<false, kBlockSide * 2>(variant, scale, on);
    default:
      throw std::invalid_argument("a block's side must be 8, 16 or 32 windows");
  }
}

}  // namespace facepipe::viola_jones
