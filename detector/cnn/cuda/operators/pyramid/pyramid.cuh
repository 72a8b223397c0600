// Computes a warp's part of a PyramidStep: 16 pixels of one sub-pixel at a time (output pixels with
// the same x % 2 and y % 2). Only one warp reads each value of the maps. So operands are loaded
// from global memory when they are needed, and not staged in shared memory. A lane reads four
// neighbouring channels of two pixels. The weights are packed for this order (pack_channels()).
#pragma once

#include "detector/cnn/cuda/operators/half_math.cuh"
#include "detector/cnn/cuda/operators/pyramid/pyramid.h"
#include "detector/cnn/cuda/operators/tensor_core.cuh"

namespace facepipe::detector::engine {

/// Computes sums += channels * weights. `low` and `high` are the lane's pixels: rows g and g + 8 of
/// the operand.
template <int kTiles>
__device__ __forceinline__ void add_channels(float (&sums)[kTiles][4], const __half* low,
                                             const __half* high, int channels,
                                             const uint2* weights) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int t = lane % 4;
  const auto add = [&](const uint2& a, const uint2& b, const uint2* from) {
    const std::uint32_t pixels[4] = {a.x, b.x, a.y, b.y};
#pragma unroll
    for (int j = 0; j < kTiles; ++j) {
      const uint2 w = __ldg(from + j * 32 + lane);
      multiply_add(sums[j], pixels, w.x, w.y);
    }
  };
  const int steps = channels / 16;
#pragma unroll 3
  for (int step = 0; step < steps; ++step)
    add(__ldg(reinterpret_cast<const uint2*>(low + 16 * step) + t),
        __ldg(reinterpret_cast<const uint2*>(high + 16 * step) + t), weights + step * kTiles * 32);
  if (channels % 16 != 0)
    add({__ldg(reinterpret_cast<const unsigned*>(low + 16 * steps) + t), 0},
        {__ldg(reinterpret_cast<const unsigned*>(high + 16 * steps) + t), 0},
        weights + steps * kTiles * 32);
}

/// Computes 16 pixels: the columns first_column + 2 * i of row y. A lane gets the channels 8j + 2t
/// and 8j + 2t + 1 of the pixels i = g and g + 8. If a pixel is outside of the map, the function
/// computes the nearest pixel of the same sub-pixel instead.
template <int kTiles>
__device__ __forceinline__ void pyramid_pixels(__half2 (&results)[kTiles][2],
                                               const PyramidArguments& a, int first_column, int y) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int sub_x = first_column & 1;
  const int sub_y = y & 1;
  const int coarse_width = a.width / 2;
  const int coarse_y = min(max(y >> 1, 0), a.height / 2 - 1);
  const auto column = [&](int i) { return min(max((first_column >> 1) + i, 0), coarse_width - 1); };
  const int columns[2] = {column(lane / 4), column(lane / 4 + 8)};
  const auto coarse = [&](int i) {
    return a.coarse +
           (static_cast<long long>(coarse_y) * coarse_width + columns[i]) * a.coarse_pitch;
  };
  const auto fine = [&](int i) {
    return a.fine +
           (static_cast<long long>(2 * coarse_y + sub_y) * a.width + 2 * columns[i] + sub_x) *
               a.fine_pitch;
  };
  float up[kTiles][4];
  float lateral[kTiles][4];
#pragma unroll
  for (int j = 0; j < kTiles; ++j) {
    const auto bias = [&](const float* from) {
      return __ldg(reinterpret_cast<const float2*>(from + 8 * j) + lane % 4);
    };
    const float2 u = bias(a.up_bias);
    const float2 l = bias(a.lateral_bias);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      up[j][i] = i % 2 == 0 ? u.x : u.y;
      lateral[j][i] = i % 2 == 0 ? l.x : l.y;
    }
  }
  const int sub_words = channel_steps(a.coarse_pitch) * kTiles * 32;
  add_channels(up, coarse(0), coarse(1), a.coarse_pitch, a.up + (2 * sub_y + sub_x) * sub_words);
  add_channels(lateral, fine(0), fine(1), a.fine_pitch, a.lateral);
  const __half2 most = __float2half2_rn(65504.0F);
#pragma unroll
  for (int j = 0; j < kTiles; ++j)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const auto sum = [&](int i) {
        return fmaxf(up[j][2 * half + i], a.up_least) +
               fmaxf(lateral[j][2 * half + i], a.lateral_least);
      };
      results[j][half] = __hmin2(__hmax2(__floats2half2_rn(sum(0), sum(1)), __hneg2(most)), most);
    }
}

/// Computes the same pixels for maps of few channels, in a warp that computes many rows of the same
/// columns. Weights stay in registers, and operands are loaded one row ahead. Sums are halves.
template <int kTiles>
struct NarrowPyramid {
  static constexpr int kMostChannels = 32;
  static constexpr int kSteps = kMostChannels / 16;

  /// Holds the lane's channels of its two pixels.
  struct Operands {
    uint2 coarse[kSteps][2];
    uint2 fine[kSteps][2];
  };

  const PyramidArguments& a;
  const __half* coarse[2];  ///< the lane's two pixels in row 0 of the map
  const __half* fine[2];
  uint2 up[2][kSteps][kTiles];  ///< weights for even and for odd rows
  uint2 lateral[kSteps][kTiles];
  __half2 up_bias[kTiles];
  __half2 lateral_bias[kTiles];
  __half2 up_least;
  __half2 lateral_least;

  static __device__ __forceinline__ bool fits(const PyramidArguments& arguments) {
    return arguments.coarse_pitch <= kMostChannels && arguments.fine_pitch <= kMostChannels;
  }

  __device__ __forceinline__ NarrowPyramid(const PyramidArguments& arguments, int first_column)
      : a(arguments) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int sub_x = first_column & 1;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int column = min(max((first_column >> 1) + lane / 4 + 8 * i, 0), a.width / 2 - 1);
      coarse[i] = a.coarse + static_cast<long long>(column) * a.coarse_pitch;
      fine[i] = a.fine + static_cast<long long>(2 * column + sub_x) * a.fine_pitch;
    }
    const int sub_words = channel_steps(a.coarse_pitch) * kTiles * 32;
#pragma unroll
    for (int s = 0; s < kSteps; ++s)
#pragma unroll
      for (int j = 0; j < kTiles; ++j) {
        const int word = (s * kTiles + j) * 32 + lane;
#pragma unroll
        for (int sub_y = 0; sub_y < 2; ++sub_y)
          up[sub_y][s][j] = 16 * s < a.coarse_pitch
                                ? __ldg(a.up + (2 * sub_y + sub_x) * sub_words + word)
                                : uint2{0, 0};
        lateral[s][j] = 16 * s < a.fine_pitch ? __ldg(a.lateral + word) : uint2{0, 0};
      }
#pragma unroll
    for (int j = 0; j < kTiles; ++j) {
      const auto bias = [&](const float* from) {
        return __float22half2_rn(__ldg(reinterpret_cast<const float2*>(from + 8 * j) + lane % 4));
      };
      up_bias[j] = bias(a.up_bias);
      lateral_bias[j] = bias(a.lateral_bias);
    }
    up_least = __float2half2_rn(a.up_least);
    lateral_least = __float2half2_rn(a.lateral_least);
  }

  static __device__ __forceinline__ void load_pixel(uint2 (&to)[kSteps][2], int i,
                                                    const __half* from, int channels) {
    const int t = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      to[s][i] = {0, 0};
      if (16 * s + 8 < channels)
        to[s][i] = __ldg(reinterpret_cast<const uint2*>(from + 16 * s) + t);
      else if (16 * s < channels)
        to[s][i].x = __ldg(reinterpret_cast<const unsigned*>(from + 16 * s) + t);
    }
  }

  /// Loads the operands of row y. If the row is outside of the map, loads the nearest row of the
  /// same sub-pixel instead.
  __device__ __forceinline__ Operands load(int y) const {
    const int coarse_y = min(max(y >> 1, 0), a.height / 2 - 1);
    const long long coarse_row = static_cast<long long>(coarse_y) * (a.width / 2) * a.coarse_pitch;
    const long long fine_row =
        static_cast<long long>(2 * coarse_y + (y & 1)) * a.width * a.fine_pitch;
    Operands operands;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      load_pixel(operands.coarse, i, coarse[i] + coarse_row, a.coarse_pitch);
      load_pixel(operands.fine, i, fine[i] + fine_row, a.fine_pitch);
    }
    return operands;
  }

  /// Computes the same as pyramid_pixels().
  __device__ __forceinline__ void compute(__half2 (&results)[kTiles][2], const Operands& operands,
                                          int y) const {
    const bool odd = (y & 1) != 0;
#pragma unroll
    for (int j = 0; j < kTiles; ++j) {
      __half2 above[2] = {up_bias[j], up_bias[j]};
      __half2 side[2] = {lateral_bias[j], lateral_bias[j]};
#pragma unroll
      for (int s = 0; s < kSteps; ++s) {
        const uint2(&c)[2] = operands.coarse[s];
        const uint2(&f)[2] = operands.fine[s];
        const std::uint32_t coarse_pixels[4] = {c[0].x, c[1].x, c[0].y, c[1].y};
        const std::uint32_t fine_pixels[4] = {f[0].x, f[1].x, f[0].y, f[1].y};
        const uint2 w = odd ? up[1][s][j] : up[0][s][j];
        multiply_add(above, coarse_pixels, w.x, w.y, above[0], above[1]);
        multiply_add(side, fine_pixels, lateral[s][j].x, lateral[s][j].y, side[0], side[1]);
      }
#pragma unroll
      for (int half = 0; half < 2; ++half)
        results[j][half] =
            __hadd2(__hmax2(above[half], up_least), __hmax2(side[half], lateral_least));
    }
  }
};

}  // namespace facepipe::detector::engine
