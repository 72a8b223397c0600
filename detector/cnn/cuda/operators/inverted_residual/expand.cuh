// Implements the first phase of an inverted residual: a warp computes the expansion and the
// depthwise convolution of an expanded group for some rows. fragments.cuh defines g and t of a
// lane.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "detector/cnn/cuda/operators/fragments.cuh"
#include "detector/cnn/cuda/operators/inverted_residual/strip.cuh"
#include "detector/cnn/cuda/operators/tensor_core.cuh"

namespace facepipe::detector::engine {

/// Holds an expanded group's weights of the expansion and of the depthwise convolution, in
/// registers.
template <int kChunks>
struct ExpandedGroupWeights {
  static constexpr int kSteps = kChunks / 2;  ///< steps of 16 input channels
  static constexpr bool kRest = kChunks % 2 != 0;
  static constexpr int kExpandChunks = kSteps * 32 + (kRest ? 16 : 0);
  static constexpr int kDepthwiseChunks = engine::kDepthwiseChunks;

  uint4 expand[kSteps];
  uint2 rest;
  std::uint32_t tap[kTaps][2];
  std::uint32_t bias[2];
  std::uint32_t expand_bias[2][2];  ///< each bias twice, because a lane uses it as C for two rows

  /// Loads the weights of one group from shared or from global memory.
  __device__ __forceinline__ void load(const uint4* expand_from, const uint4* depthwise_from,
                                       int lane) {
#pragma unroll
    for (int s = 0; s < kSteps; ++s) expand[s] = expand_from[s * 32 + lane];
    if constexpr (kRest) rest = reinterpret_cast<const uint2*>(expand_from + kSteps * 32)[lane];
    std::uint32_t words[4 * kDepthwiseChunks];
#pragma unroll
    for (int i = 0; i < kDepthwiseChunks; ++i)
      reinterpret_cast<uint4*>(words)[i] = depthwise_from[lane % 4 * kDepthwiseChunks + i];
#pragma unroll
    for (int tile = 0; tile < 2; ++tile) {
#pragma unroll
      for (int i = 0; i < kTaps; ++i) tap[i][tile] = words[2 * i + tile];
      bias[tile] = words[2 * kTaps + tile];
#pragma unroll
      for (int i = 0; i < 2; ++i) expand_bias[tile][i] = words[2 * kTaps + 2 + 2 * tile + i];
    }
  }
};

/// A lane's values of a row, two channels in each word: [pixel][tile of 8 channels].
using RowValues = std::uint32_t[kStripInputs][2];

/// Expands one row of the strip to the 16 channels of a group. Doesn't apply relu.
template <int kChunks>
__device__ __forceinline__ void expand_row(std::uint32_t row,
                                           const ExpandedGroupWeights<kChunks>& w, int lane,
                                           RowValues& to) {
  constexpr int kPitch = strip_pitch(kChunks);
  using Weights = ExpandedGroupWeights<kChunks>;
  std::uint32_t sum[2][2][2];  // [tile of 16 pixels][tile of 8 channels]
  const std::uint32_t from = row + (lane % 16) * kPitch + lane / 16 * 16;
#pragma unroll
  for (int s = 0; s < Weights::kSteps; ++s)
#pragma unroll
    for (int m = 0; m < 2; ++m) {
      std::uint32_t pixels[4];
      load_matrices(pixels, from + m * 16 * kPitch + s * 32);
      multiply(sum[m][0], pixels, w.expand[s].x, w.expand[s].y,
               s == 0 ? w.expand_bias[0] : sum[m][0]);
      multiply(sum[m][1], pixels, w.expand[s].z, w.expand[s].w,
               s == 0 ? w.expand_bias[1] : sum[m][1]);
    }
  if constexpr (Weights::kRest) {
    std::uint32_t pixels[4];
    load_matrices(pixels, row + lane * kPitch + Weights::kSteps * 32);
#pragma unroll
    for (int m = 0; m < 2; ++m) {
      multiply_short(sum[m][0], pixels[2 * m], pixels[2 * m + 1], w.rest.x, sum[m][0]);
      multiply_short(sum[m][1], pixels[2 * m], pixels[2 * m + 1], w.rest.y, sum[m][1]);
    }
  }
#pragma unroll
  for (int p = 0; p < kStripInputs; ++p)
#pragma unroll
    for (int n = 0; n < 2; ++n) to[p][n] = sum[p / 2][n][p % 2];
}

/// Applies relu, and then the minimum with the pixel's limit. Inside of the picture, the limit is
/// the largest half, which prevents infinities. Outside of the picture, the limit is 0, because the
/// depthwise convolution must read zeros there, and not relu(bias).
__device__ __forceinline__ void limit(RowValues& values,
                                      const std::uint32_t (&limits)[kStripInputs], bool inside) {
#pragma unroll
  for (int p = 0; p < kStripInputs; ++p) {
    const __half2 most = as_half2(inside ? limits[p] : 0);
#pragma unroll
    for (int n = 0; n < 2; ++n)
      values[p][n] = bits_of(__hmin2(__hmax2(as_half2(values[p][n]), as_half2(0)), most));
  }
}

/// Computes the limits for limit(), from the columns of the lane's pixels.
__device__ __forceinline__ void find_limits(const InvertedResidualArguments& a, int first_column,
                                            int lane, std::uint32_t (&limits)[kStripInputs]) {
#pragma unroll
  for (int p = 0; p < kStripInputs; ++p) {
    const int x = first_column + lane / 4 * kStripInputs + p;
    limits[p] = x >= 0 && x < a.input_width ? kLargestHalves : 0;
  }
}

/// Multiplies a row by the three taps of row `kTapRow` of the window, and adds the products to a
/// lane's sums. With tap row 0, the sums begin with the bias. After tap row 2, relu is applied.
template <int kStride, int kTapRow>
__device__ __forceinline__ void add_taps(std::uint32_t (&sums)[kStripInputs / kStride][2],
                                         const RowValues& row, const std::uint32_t (&before)[2],
                                         const std::uint32_t (&behind)[2],
                                         const std::uint32_t (&tap)[kTaps][2],
                                         const std::uint32_t (&bias)[2]) {
#pragma unroll
  for (int o = 0; o < kStripInputs / kStride; ++o)
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      // At stride 1, the pixels under the taps are o - 1 to o + 1. At stride 2 they are 2 o to 2 o
      // + 2, because output o is centred at pixel 2 o + 1.
      const int first = kStride == 1 ? o - 1 : 2 * o;
      __half2 sum = as_half2(kTapRow == 0 ? bias[n] : sums[o][n]);
#pragma unroll
      for (int dx = 0; dx < 3; ++dx) {
        const int p = first + dx;
        const std::uint32_t value = p < 0               ? before[n]
                                    : p == kStripInputs ? behind[n]
                                                        : row[p < 0 || p > 3 ? 0 : p][n];
        const __half2 weight = as_half2(tap[3 * kTapRow + dx][n]);
        sum = kTapRow == 2 && dx == 2 ? __hfma2_relu(as_half2(value), weight, sum)
                                      : __hfma2(as_half2(value), weight, sum);
      }
      sums[o][n] = bits_of(sum);
    }
}

/// Computes kRows rows of results for an expanded group, and writes them to `results`. The results
/// are tiles of 16 pixels. Each tile is a fragment that has one chunk for each of 32 lanes.
template <int kChunks, int kStride, int kRows>
__device__ __forceinline__ void expand_and_filter(const ExpandedGroupWeights<kChunks>& w,
                                                  std::uint32_t strip, int first_y, int height,
                                                  const std::uint32_t (&limits)[kStripInputs],
                                                  int lane, uint4* results) {
  constexpr int kOutputs = kStripInputs / kStride;
  constexpr int kRowBytes = kStripWidth * strip_pitch(kChunks);
  std::uint32_t sums[kRows][kOutputs][2];
#pragma unroll
  for (int row = 0; row < strip_rows(kStride, kRows); ++row) {
    RowValues values;
    expand_row<kChunks>(strip + row * kRowBytes, w, lane, values);
    const int y = first_y + row;
    limit(values, limits, y >= 0 && y < height);
    std::uint32_t before[2] = {};
    std::uint32_t behind[2];
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      if constexpr (kStride == 1)
        before[n] = __shfl_up_sync(0xffffffff, values[kStripInputs - 1][n], 4);
      behind[n] = __shfl_down_sync(0xffffffff, values[0][n], 4);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int tap_row = row - kStride * r;
      if (tap_row == 0) add_taps<kStride, 0>(sums[r], values, before, behind, w.tap, w.bias);
      if (tap_row == 1) add_taps<kStride, 1>(sums[r], values, before, behind, w.tap, w.bias);
      if (tap_row == 2) {
        add_taps<kStride, 2>(sums[r], values, before, behind, w.tap, w.bias);
#pragma unroll
        for (int m = 0; m < pixel_tiles_of_row(kStride); ++m)
          results[(r * pixel_tiles_of_row(kStride) + m) * 32 + lane] = uint4{
              sums[r][2 * m][0], sums[r][2 * m + 1][0], sums[r][2 * m][1], sums[r][2 * m + 1][1]};
      }
    }
  }
}

}  // namespace facepipe::detector::engine
