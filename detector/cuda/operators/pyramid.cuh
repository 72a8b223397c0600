// What a warp computes of a PyramidStep: 16 neighbours of one sub-pixel at a time. Each value of
// the maps is read by one warp alone, so operands come from memory as they are needed: a lane reads
// four channels in a row of two pixels, and the weights are packed for that order of the sum.
#pragma once

#include "detector/cuda/operators/half_math.cuh"
#include "detector/cuda/operators/pyramid.h"
#include "detector/cuda/operators/tensor_core.cuh"

namespace facepipe::engine {

/// sums += the channels of two pixels (rows g and g + 8 of the operand) times weights.
template <int kTiles>
__device__ __forceinline__ void add_channels(float (&sums)[kTiles][4], const __half* low,
                                             const __half* high, int channels,
                                             const uint2* weights) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int t = lane % 4;
  for (int first = 0; first < channels; first += 16, weights += kTiles * 32) {
    uint2 a{};
    uint2 b{};
    if (first + 8 < channels) {
      a = __ldg(reinterpret_cast<const uint2*>(low + first) + t);
      b = __ldg(reinterpret_cast<const uint2*>(high + first) + t);
    } else {
      a.x = __ldg(reinterpret_cast<const unsigned*>(low + first) + t);
      b.x = __ldg(reinterpret_cast<const unsigned*>(high + first) + t);
    }
    const std::uint32_t pixels[4] = {a.x, b.x, a.y, b.y};
#pragma unroll
    for (int j = 0; j < kTiles; ++j) {
      const uint2 w = __ldg(weights + j * 32 + lane);
      multiply_add(sums[j], pixels, w.x, w.y);
    }
  }
}

/// Of 16 pixels, first_column + 2 * i of row y, the channels 8j + 2t and the next one of pixels
/// g and g + 8. Pixels outside of the map stand for their nearest neighbours of the same sub-pixel.
template <int kTiles>
__device__ __forceinline__ void pyramid_pixels(__half2 (&results)[kTiles][2],
                                               const PyramidArguments& a, int first_column, int y) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int sub_x = first_column & 1;
  const int sub_y = y & 1;
  const int coarse_width = a.width / 2;
  const int coarse_y = min(max(y >> 1, 0), a.height / 2 - 1);
  const auto column = [&](int i) {
    return min(max((first_column >> 1) + i, 0), coarse_width - 1);
  };
  const int columns[2] = {column(lane / 4), column(lane / 4 + 8)};
  const auto coarse = [&](int i) {
    return a.coarse +
           (static_cast<long long>(coarse_y) * coarse_width + columns[i]) * a.coarse_pitch;
  };
  const auto fine = [&](int i) {
    return a.fine + (static_cast<long long>(2 * coarse_y + sub_y) * a.width + 2 * columns[i] +
                     sub_x) *
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
      results[j][half] =
          __hmin2(__hmax2(__floats2half2_rn(sum(0), sum(1)), __hneg2(most)), most);
    }
}

}  // namespace facepipe::engine
