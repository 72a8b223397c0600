// Code that the kernels share: a window's deviation, and a stump's vote. All arithmetic follows
// stumps.h.
#pragma once

#include "experiments/programs/viola_jones/kernels.h"

namespace facepipe::viola_jones {

template <class T>
__device__ __forceinline__ T sum_in(const T* at, int stride, const Edges& edges) {
  const T* const top = at + edges.top * stride;
  const T* const bottom = at + edges.bottom * stride;
  return bottom[edges.right] - bottom[edges.left] - top[edges.right] + top[edges.left];
}

/// Loads a stump from global or shared memory with three loads. Loading each member would need 18.
__device__ __forceinline__ ScaledStump loaded(const ScaledStump& stump) {
  struct Words {
    uint4 words[3];
  };
  static_assert(sizeof(Words) == sizeof(ScaledStump));
  const auto* const from = reinterpret_cast<const uint4*>(&stump);
  return __builtin_bit_cast(ScaledStump, Words{{from[0], from[1], from[2]}});
}

/// A window in the integral image.
struct Window {
  const std::uint32_t* sums;
  std::int32_t stride;
  float deviation;

  __device__ Window(const ScaleLaunch& scale, int column, int row) : stride(scale.picture.stride) {
    const std::size_t at =
        static_cast<std::size_t>(row * scale.step) * static_cast<std::size_t>(stride) +
        static_cast<std::size_t>(column * scale.step);
    sums = scale.picture.sums + at;
    const auto sum = static_cast<std::int64_t>(sum_in(sums, stride, scale.inner));
    const auto squares =
        static_cast<std::int64_t>(sum_in(scale.picture.squares + at, stride, scale.inner));
    const std::int64_t spread = scale.inner_area * squares - sum * sum;
    deviation = spread > 0 ? sqrtf(static_cast<float>(spread)) * scale.inverse_area : 1;
  }

  [[nodiscard]] __device__ std::int32_t vote(const ScaledStump& in_memory) const {
    const ScaledStump stump = loaded(in_memory);
    const auto sum = [&](int i) {
      return static_cast<float>(sum_in(sums, stride, stump.rects[i]));
    };
    float value = stump.weights[0] * sum(0);
    value = fmaf(stump.weights[1], sum(1), value);
    if (stump.weights[2] != 0) value = fmaf(stump.weights[2], sum(2), value);
    return value < stump.threshold * deviation ? stump.below : stump.above;
  }

  /// Evaluates a stage in one thread. `stumps` are the stumps of the stage.
  [[nodiscard]] __device__ bool passes(const ScaledStump* stumps, const StageSpan& stage) const {
    std::int32_t sum = 0;
    for (int i = 0; i < stage.count; ++i) sum += vote(stumps[i]);
    return sum >= stage.threshold;
  }

  /// Evaluates all stages from `first` to `end` - 1 in one thread. Their stumps are in global
  /// memory.
  [[nodiscard]] __device__ bool passes_all(const ScaleLaunch& scale, int first, int end) const {
    for (int i = first; i < end; ++i)
      if (!passes(scale.stumps + scale.stages[i].first, scale.stages[i])) return false;
    return true;
  }
};

__device__ inline void append(const ScaleLaunch& scale, int column, int row) {
  const unsigned place = atomicAdd(scale.found.count, 1U);
  if (place < scale.found.capacity)
    scale.found.windows[place] = {static_cast<std::uint16_t>(scale.scale),
                                  static_cast<std::uint16_t>(column * scale.pixels_step),
                                  static_cast<std::uint16_t>(row * scale.pixels_step), 0};
}

}  // namespace facepipe::viola_jones
