// Activations in registers, and eight halves as one load.
#pragma once

#include <cuda_fp16.h>

#include "detector/graph/graph.h"

namespace facepipe::engine {

__device__ __forceinline__ float activated(float value, graph::Activation activation) {
  if (activation == graph::Activation::relu) return fmaxf(value, 0.0F);
  if (activation == graph::Activation::sigmoid) return 1.0F / (1.0F + expf(-value));
  return value;
}

/// A float as a half; beyond a half's range the largest half, as an infinity would poison whatever
/// reads it (0 * inf).
__device__ __forceinline__ __half2 to_half2(float x, float y) {
  constexpr float kLargest = 65504.0F;
  const auto bounded = [](float value) { return fminf(fmaxf(value, -kLargest), kLargest); };
  return __floats2half2_rn(bounded(x), bounded(y));
}

struct alignas(16) Halves8 {
  __half2 pairs[4];
};

}  // namespace facepipe::engine
