#include "detector/cnn/cuda/operators/elementwise.h"

#include "core/cuda/check.h"
#include "detector/cnn/cuda/operators/activation.cuh"
#include "detector/cnn/cuda/operators/flat_launch.cuh"

namespace facepipe::detector::engine {
namespace {

__device__ __forceinline__ Halves8 read(const __half* from, std::size_t chunk) {
  return read_halves(from + 8 * chunk);
}

__device__ __forceinline__ void write(__half* to, std::size_t chunk, const Halves8& value) {
  reinterpret_cast<Halves8*>(to)[chunk] = value;
}

__global__ void __launch_bounds__(kFlatThreads) max_pool_kernel(const PoolingArguments a) {
  const std::size_t index = flat_index();
  const auto chunks = static_cast<std::size_t>(a.chunks);
  const auto width = static_cast<std::size_t>(a.output_width);
  if (index >= chunks * width * static_cast<std::size_t>(a.output_height)) return;
  const std::size_t chunk = index % chunks;
  const int x = static_cast<int>(index / chunks % width);
  const int y = static_cast<int>(index / chunks / width);
  const __half lowest = __ushort_as_half(0xfc00);  // minus infinity
  Halves8 best;
#pragma unroll
  for (__half2& pair : best.pairs) pair = {lowest, lowest};
  for (int ky = 0; ky < a.window.kernel_height; ++ky)
    for (int kx = 0; kx < a.window.kernel_width; ++kx) {
      const int sy = y * a.window.stride_y - a.window.top + ky;
      const int sx = x * a.window.stride_x - a.window.left + kx;
      if (sy < 0 || sy >= a.input_height || sx < 0 || sx >= a.input_width) continue;
      const std::size_t pixel =
          static_cast<std::size_t>(sy) * static_cast<std::size_t>(a.input_width) +
          static_cast<std::size_t>(sx);
      const Halves8 value = read(a.input, pixel * chunks + chunk);
#pragma unroll
      for (int i = 0; i < 4; ++i) best.pairs[i] = __hmax2(best.pairs[i], value.pairs[i]);
    }
  write(a.output, index, best);
}

__global__ void __launch_bounds__(kFlatThreads) upsample_kernel(const UpsampleArguments a) {
  const std::size_t index = flat_index();
  const auto chunks = static_cast<std::size_t>(a.chunks);
  const auto width = static_cast<std::size_t>(a.output_width);
  const auto factor = static_cast<std::size_t>(a.factor);
  if (index >= chunks * width * static_cast<std::size_t>(a.output_height)) return;
  const std::size_t x = index / chunks % width;
  const std::size_t y = index / chunks / width;
  const std::size_t pixel = y / factor * (width / factor) + x / factor;
  Halves8 value = read(a.input, pixel * chunks + index % chunks);
  if (a.residual != nullptr) value = sum(value, read(a.residual, index));
  write(a.output, index, value);
}

__device__ __forceinline__ Halves8 read(const ElementwiseInput& from, std::size_t pixel,
                                        std::size_t chunk) {
  return read(from.values, pixel * static_cast<std::size_t>(from.chunks) + chunk);
}

__device__ __forceinline__ float computed(const ElementwiseArguments& a, float value) {
  if (a.leaky) return value > 0 ? value : a.slope * value;
  return activated(value, a.activation);
}

/// Multiplies two chunks as floats, and rounds each product once.
__device__ __forceinline__ Halves8 product(const Halves8& a, const Halves8& b) {
  Halves8 result;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 x = __half22float2(a.pairs[i]);
    const float2 y = __half22float2(b.pairs[i]);
    result.pairs[i] = to_half2(x.x * y.x, x.y * y.y);
  }
  return result;
}

__global__ void __launch_bounds__(kFlatThreads) elementwise_kernel(const ElementwiseArguments a) {
  const std::size_t index = flat_index();
  const auto chunks = static_cast<std::size_t>(a.chunks);
  const std::size_t pixel = index / chunks;
  if (pixel >= a.pixels) return;
  const std::size_t chunk = index % chunks;
  Halves8 value = read(a.input, pixel, chunk);
#pragma unroll
  for (__half2& pair : value.pairs) {
    const float2 both = __half22float2(pair);
    pair = to_half2(computed(a, both.x), computed(a, both.y));
  }
  if (a.other.values != nullptr) {
    const Halves8 other = read(a.other, pixel, chunk);
    value = a.multiplies ? product(value, other) : sum(value, other);
  }
  write(a.output, index, value);
}

std::size_t threads_for(int chunks, int height, int width) {
  return static_cast<std::size_t>(chunks) * static_cast<std::size_t>(height) *
         static_cast<std::size_t>(width);
}

}  // namespace

void launch_max_pool(const PoolingArguments& a, cudaStream_t stream) {
  const unsigned blocks = flat_blocks(threads_for(a.chunks, a.output_height, a.output_width));
  max_pool_kernel<<<blocks, kFlatThreads, 0, stream>>>(a);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_upsample(const UpsampleArguments& a, cudaStream_t stream) {
  const unsigned blocks = flat_blocks(threads_for(a.chunks, a.output_height, a.output_width));
  upsample_kernel<<<blocks, kFlatThreads, 0, stream>>>(a);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_elementwise(const ElementwiseArguments& a, cudaStream_t stream) {
  elementwise_kernel<<<flat_blocks(a.pixels * static_cast<std::size_t>(a.chunks)), kFlatThreads, 0,
                       stream>>>(a);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::detector::engine
