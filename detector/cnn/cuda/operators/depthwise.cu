#include "core/cuda/check.h"
#include "detector/cnn/cuda/operators/activation.cuh"
#include "detector/cnn/cuda/operators/depthwise.h"

namespace facepipe::detector::engine {
namespace {

constexpr int kThreads = 128;
constexpr int kChannels = 4;  // number of channels of a thread, which one load of 8 bytes reads

struct Four {
  float values[kChannels];
};

__device__ __forceinline__ Four read_four(const __half* from) {
  const uint2 bits = __ldg(reinterpret_cast<const uint2*>(from));
  const float2 low = __half22float2(reinterpret_cast<const __half2&>(bits.x));
  const float2 high = __half22float2(reinterpret_cast<const __half2&>(bits.y));
  return {{low.x, low.y, high.x, high.y}};
}

__device__ __forceinline__ Four read_four(const float* from) {
  const float4 bits = __ldg(reinterpret_cast<const float4*>(from));
  return {{bits.x, bits.y, bits.z, bits.w}};
}

__device__ __forceinline__ void write_four(__half* to, const Four& four) {
  const __half2 low = to_half2(four.values[0], four.values[1]);
  const __half2 high = to_half2(four.values[2], four.values[3]);
  *reinterpret_cast<uint2*>(to) = {reinterpret_cast<const unsigned&>(low),
                                   reinterpret_cast<const unsigned&>(high)};
}

__device__ __forceinline__ void write_four(float* to, const Four& four) {
  *reinterpret_cast<float4*>(to) = {four.values[0], four.values[1], four.values[2], four.values[3]};
}

__device__ __forceinline__ void multiply_add(Four& sum, const Four& a, const Four& b) {
#pragma unroll
  for (int c = 0; c < kChannels; ++c) sum.values[c] = fmaf(a.values[c], b.values[c], sum.values[c]);
}

template <class Out>
__device__ __forceinline__ void finish(const DepthwiseArguments& a, Four sum, int y, int x,
                                       int channel) {
  const long long pixel = static_cast<long long>(y) * a.output_width + x;
#pragma unroll
  for (float& value : sum.values) value = activated(value, a.activation);
  if (a.residual.values != nullptr) {
    const Four add = read_four(a.residual.values + pixel * a.residual.pitch + channel);
#pragma unroll
    for (int c = 0; c < kChannels; ++c) sum.values[c] += add.values[c];
  }
  write_four(static_cast<Out*>(a.output) + pixel * a.output_pitch + channel, sum);
}

/// Computes a 3x3 convolution with padding 1. A thread computes kRows rows of kColumns pixels from
/// the top down, and reads each input row only once. Loops are unrolled completely, so that sums
/// stay in registers only as long as they are needed.
template <int kStride, int kRows, int kColumns, class Out>
__global__ void __launch_bounds__(kThreads) depthwise_3x3_kernel(const DepthwiseArguments a) {
  constexpr int kInputColumns = (kColumns - 1) * kStride + 3;
  constexpr int kInputRows = (kRows - 1) * kStride + 3;
  const int groups = a.channels / kChannels;
  const int columns = (a.output_width + kColumns - 1) / kColumns;
  const int index = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  if (index >= groups * columns) return;
  const int channel = index % groups * kChannels;
  const int first_x = index / groups * kColumns;
  const int first_y = static_cast<int>(blockIdx.y) * kRows;

  Four weights[9];
#pragma unroll
  for (int tap = 0; tap < 9; ++tap)
    weights[tap] = read_four(a.weights + tap * a.channels + channel);
  const Four bias = read_four(a.bias + channel);
  Four sums[kRows][kColumns];
#pragma unroll
  for (auto& row : sums)
#pragma unroll
    for (Four& sum : row) sum = bias;

#pragma unroll
  for (int row = 0; row < kInputRows; ++row) {
    const int y = first_y * kStride - 1 + row;
    const bool inside = y >= 0 && y < a.input_height;
    const __half* const from =
        a.input + static_cast<long long>(y) * a.input_width * a.input_pitch + channel;
#pragma unroll
    for (int column = 0; column < kInputColumns; ++column) {
      const int x = first_x * kStride - 1 + column;
      Four input{};
      // The load is predicated and is not a branch, so that the loads of several rows are in flight
      // together.
      if (inside && x >= 0 && x < a.input_width)
        input = read_four(from + static_cast<long long>(x) * a.input_pitch);
#pragma unroll
      for (int r = 0; r < kRows; ++r)
#pragma unroll
        for (int c = 0; c < kColumns; ++c) {
          const int ky = row - r * kStride;
          const int kx = column - c * kStride;
          if (ky >= 0 && ky < 3 && kx >= 0 && kx < 3)
            multiply_add(sums[r][c], input, weights[ky * 3 + kx]);
        }
    }
    // These output rows are complete, because this input row is the last row of their window.
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      if (row == r * kStride + 2 && first_y + r < a.output_height)
#pragma unroll
        for (int c = 0; c < kColumns; ++c)
          if (first_x + c < a.output_width)
            finish<Out>(a, sums[r][c], first_y + r, first_x + c, channel);
  }
}

/// Computes a convolution with any window. A thread computes four channels of one pixel.
template <class Out>
__global__ void __launch_bounds__(kThreads) depthwise_kernel(const DepthwiseArguments a) {
  const int groups = a.channels / kChannels;
  const int index = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  if (index >= groups * a.output_width) return;
  const int channel = index % groups * kChannels;
  const int x = index / groups;
  const int y = static_cast<int>(blockIdx.y);
  Four sum = read_four(a.bias + channel);
  for (int ky = 0; ky < a.window.kernel_height; ++ky)
    for (int kx = 0; kx < a.window.kernel_width; ++kx) {
      const int sy = y * a.window.stride_y - a.window.top + ky;
      const int sx = x * a.window.stride_x - a.window.left + kx;
      if (sy < 0 || sy >= a.input_height || sx < 0 || sx >= a.input_width) continue;
      const long long pixel = static_cast<long long>(sy) * a.input_width + sx;
      multiply_add(sum, read_four(a.input + pixel * a.input_pitch + channel),
                   read_four(a.weights + (ky * a.window.kernel_width + kx) * a.channels + channel));
    }
  finish<Out>(a, sum, y, x, channel);
}

int divide_up(int value, int step) { return (value + step - 1) / step; }

dim3 grid_for(const DepthwiseArguments& a, int rows, int columns) {
  const int work = a.channels / kChannels * divide_up(a.output_width, columns);
  return {static_cast<unsigned>(divide_up(work, kThreads)),
          static_cast<unsigned>(divide_up(a.output_height, rows))};
}

template <int kStride, int kRows, int kColumns, class Out>
void launch_3x3(const DepthwiseArguments& a, cudaStream_t stream) {
  const dim3 grid = grid_for(a, kRows, kColumns);
  depthwise_3x3_kernel<kStride, kRows, kColumns, Out><<<grid, kThreads, 0, stream>>>(a);
}

/// With this many blocks, tall tiles occupy even the largest chips. Measured on an H100.
constexpr unsigned kManyBlocks = 1500;

template <class Out>
void launch(const DepthwiseArguments& a, cudaStream_t stream) {
  const graph::Window& w = a.window;
  if (w == graph::Window{3, 3, 1, 1, 1, 1, 1, 1}) {
    const dim3 tall = grid_for(a, 8, 2);
    if (tall.x * tall.y >= kManyBlocks)
      launch_3x3<1, 8, 2, Out>(a, stream);
    else
      launch_3x3<1, 2, 4, Out>(a, stream);
  } else if (w == graph::Window{3, 3, 2, 2, 1, 1, 1, 1}) {
    launch_3x3<2, 2, 1, Out>(a, stream);
  } else {
    const int work = a.channels / kChannels * a.output_width;
    const dim3 grid(static_cast<unsigned>(divide_up(work, kThreads)),
                    static_cast<unsigned>(a.output_height));
    depthwise_kernel<Out><<<grid, kThreads, 0, stream>>>(a);
  }
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void launch_depthwise(bool f32, const DepthwiseArguments& arguments, cudaStream_t stream) {
  if (f32)
    launch<float>(arguments, stream);
  else
    launch<__half>(arguments, stream);
}

}  // namespace facepipe::detector::engine
