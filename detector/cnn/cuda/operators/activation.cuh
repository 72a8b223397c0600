// Applies activation functions to values in registers, and handles chunks of eight halves. Kernels
// call this.
#pragma once

#include <cuda_fp16.h>

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

__device__ __forceinline__ float activated(float value, graph::Activation activation) {
  if (activation == graph::Activation::relu) return fmaxf(value, 0.0F);
  if (activation == graph::Activation::sigmoid) return 1.0F / (1.0F + expf(-value));
  if (activation == graph::Activation::silu) return value / (1.0F + expf(-value));
  return value;
}

/// Converts two values to halves. A value beyond the range of a half becomes the largest or the
/// least half, because an infinity could become NaN in a later layer (0 * inf).
__device__ __forceinline__ __half2 to_half2(float x, float y) {
  const __half2 most = __half2half2(__ushort_as_half(0x7bff));
  return __hmin2(__hmax2(__floats2half2_rn(x, y), __hneg2(most)), most);
}

/// Returns to_half2(activated(x), activated(y)), with fewer instructions.
__device__ __forceinline__ __half2 activated_half2(float x, float y, graph::Activation activation) {
  if (activation == graph::Activation::sigmoid)
    return __floats2half2_rn(activated(x, activation), activated(y, activation));
  if (activation == graph::Activation::silu)
    return to_half2(activated(x, activation), activated(y, activation));
  const __half2 most = __half2half2(__ushort_as_half(0x7bff));
  const __half2 least =
      activation == graph::Activation::relu ? __half2half2(__ushort_as_half(0)) : __hneg2(most);
  return __hmin2(__hmax2(__floats2half2_rn(x, y), least), most);
}

/// Holds a chunk: eight halves, which one load of 16 bytes reads.
struct alignas(16) Halves8 {
  __half2 pairs[4];
};

__device__ __forceinline__ Halves8 read_halves(const __half* from) {
  const uint4 bits = __ldg(reinterpret_cast<const uint4*>(from));
  return reinterpret_cast<const Halves8&>(bits);
}

/// Adds two chunks as floats, and rounds each sum once.
__device__ __forceinline__ Halves8 sum(const Halves8& a, const Halves8& b) {
  Halves8 result;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 x = __half22float2(a.pairs[i]);
    const float2 y = __half22float2(b.pairs[i]);
    result.pairs[i] = to_half2(x.x + y.x, x.y + y.y);
  }
  return result;
}

}  // namespace facepipe::detector::engine
