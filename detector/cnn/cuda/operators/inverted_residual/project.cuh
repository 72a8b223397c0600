// Implements the second phase of an inverted residual: the projection. The warps of a block divide
// pixels and output channels among themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "detector/cnn/cuda/operators/activation.cuh"
#include "detector/cnn/cuda/operators/cluster.cuh"
#include "detector/cnn/cuda/operators/fragments.cuh"
#include "detector/cnn/cuda/operators/inverted_residual/strip.cuh"
#include "detector/cnn/cuda/operators/tensor_core.cuh"

namespace facepipe::detector::engine {

/// Computes a unit of the projection: kPixelTiles * 16 pixels by kColumnTiles * 8 output channels.
template <int kStride, int kPixelTiles, int kColumnTiles>
struct Projection {
  /// number of chunks of the weights of an expanded group
  static constexpr int kWeightChunks = kColumnTiles * 16;
  static constexpr int kUnitPairs =
      kPixelTiles * kColumnTiles * 32;             ///< number of partial sums, of 8 bytes each
  static constexpr int kPixels = 2 * kPixelTiles;  ///< number of pixels of a lane

  const InvertedResidualArguments& a;
  int lane;
  int channel;         ///< the lane's first channel
  int pixel[kPixels];  ///< index in the output; negative if the pixel is no output of this block
  float sum[kPixelTiles][kColumnTiles][4] = {};
  std::uint32_t added[kPixels][kColumnTiles] = {};

  __device__ __forceinline__ Projection(const InvertedResidualArguments& arguments, int first_row,
                                        int first_column, int pixel_group, int column_group)
      : a(arguments), lane(static_cast<int>(threadIdx.x) % 32) {
    const int t = lane % 4;
    const int g = lane / 4;
    channel = column_group * kColumnTiles * 8 + (kColumnTiles == 4 ? 8 : 4) * t;
#pragma unroll
    for (int i = 0; i < kPixels; ++i) {
      const int m = pixel_group * kPixelTiles + i / 2;
      const int y = first_row + m / pixel_tiles_of_row(kStride);
      const int p = kStride == 1 ? 4 * g + 2 * (m % 2) + i % 2 : 2 * g + i % 2;
      const int x = first_column + p;
      const bool yields = kStride == 1 ? p >= 1 && p <= kStripPixels : p < kStripPixels / 2;
      pixel[i] = yields && y < a.output_height && x < a.output_width ? y * a.output_width + x : -1;
    }
  }

  /// Returns the first channel of this lane's third tile, if a lane has three tiles. Then the first
  /// two tiles of a lane follow each other from `channel` on. The third tiles of all lanes come
  /// after the first two tiles of all lanes. If a lane has four tiles, all four follow each other
  /// from `channel` on.
  [[nodiscard]] __device__ __forceinline__ int last_channel() const {
    return channel + 16 - 2 * (lane % 4);
  }

  /// Calls move(channel, tile, word) for each of the lane's loads or stores of a pixel. The type of
  /// `word` is the type to load or store. `tile` is the first tile of this load or store.
  template <class Move>
  __device__ __forceinline__ void move_words(Move move) const {
    if constexpr (kColumnTiles == 4) {
      if (channel < a.output_pitch) move(channel, 0, uint4{});
    } else {
      if (channel < a.output_pitch) move(channel, 0, uint2{});
      if constexpr (kColumnTiles == 3)
        if (last_channel() < a.output_pitch) move(last_channel(), 2, std::uint32_t{});
    }
  }

  /// Sets the sums to the bias. Also starts to load residuals, because these loads take long.
  __device__ __forceinline__ void begin() {
#pragma unroll
    for (int n = 0; n < kColumnTiles; ++n) {
      const float2 bias = __ldg(reinterpret_cast<const float2*>(
          a.weights.bias + (kColumnTiles == 3 && n == 2 ? last_channel() : channel + 2 * n)));
#pragma unroll
      for (int m = 0; m < kPixelTiles; ++m) {
        sum[m][n][0] = sum[m][n][2] = bias.x;
        sum[m][n][1] = sum[m][n][3] = bias.y;
      }
    }
    if (a.residual.values == nullptr) return;
#pragma unroll
    for (int i = 0; i < kPixels; ++i)
      if (pixel[i] >= 0)
        move_words([&](int c, int n, auto word) {
          reinterpret_cast<decltype(word)&>(added[i][n]) = *reinterpret_cast<const decltype(word)*>(
              a.residual.values + static_cast<std::ptrdiff_t>(pixel[i]) * a.residual.pitch + c);
        });
  }

  /// Adds up the products of all expanded groups of the block. `results` and `weights` point to the
  /// results and the weights of the first group.
  __device__ __forceinline__ void multiply_groups(const uint4* results, int results_step,
                                                  const uint4* weights, int weights_step,
                                                  int expanded_groups) {
#pragma unroll 2
    for (int c = 0; c < expanded_groups; ++c) {
      std::uint32_t b[kColumnTiles][2];
      const uint4 first = weights[lane];
      b[0][0] = first.x, b[0][1] = first.y, b[1][0] = first.z, b[1][1] = first.w;
      if constexpr (kColumnTiles == 3) {
        const uint2 last = reinterpret_cast<const uint2*>(weights + 32)[lane];
        b[2][0] = last.x, b[2][1] = last.y;
      }
      if constexpr (kColumnTiles == 4) {
        const uint4 last = weights[32 + lane];
        b[2][0] = last.x, b[2][1] = last.y, b[3][0] = last.z, b[3][1] = last.w;
      }
#pragma unroll
      for (int m = 0; m < kPixelTiles; ++m) {
        const uint4 bits = results[m * 32 + lane];
        const std::uint32_t pixels[4] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
        for (int n = 0; n < kColumnTiles; ++n) multiply_add(sum[m][n], pixels, b[n][0], b[n][1]);
      }
      results += results_step;
      weights += weights_step;
    }
  }

  /// Applies the activation, adds the residual and stores the results.
  __device__ __forceinline__ void store() const {
#pragma unroll
    for (int i = 0; i < kPixels; ++i) {
      std::uint32_t out[kColumnTiles];
#pragma unroll
      for (int n = 0; n < kColumnTiles; ++n) {
        const float2 more = __half22float2(as_half2(added[i][n]));
        const float* const s = sum[i / 2][n] + i % 2 * 2;
        out[n] = bits_of(to_half2(fmaxf(s[0], a.least) + more.x, fmaxf(s[1], a.least) + more.y));
      }
      if (pixel[i] >= 0)
        move_words([&](int c, int n, auto word) {
          *reinterpret_cast<decltype(word)*>(
              a.output + static_cast<std::ptrdiff_t>(pixel[i]) * a.output_pitch + c) =
              reinterpret_cast<const decltype(word)&>(out[n]);
        });
    }
  }

  /// Sends partial sums, as halves, to the block of the cluster that adds them up.
  __device__ __forceinline__ void send(std::uint32_t to) const {
#pragma unroll
    for (int m = 0; m < kPixelTiles; ++m)
#pragma unroll
      for (int n = 0; n < kColumnTiles; ++n) {
        const float* const s = sum[m][n];
        store_in_cluster(to + ((m * kColumnTiles + n) * 32 + lane) * 8,
                         uint2{bits_of(to_half2(s[0], s[1])), bits_of(to_half2(s[2], s[3]))});
      }
  }
  __device__ __forceinline__ void add(const uint2* from) {
#pragma unroll
    for (int m = 0; m < kPixelTiles; ++m)
#pragma unroll
      for (int n = 0; n < kColumnTiles; ++n) {
        const uint2 bits = from[(m * kColumnTiles + n) * 32 + lane];
        const float2 low = __half22float2(as_half2(bits.x));
        const float2 high = __half22float2(as_half2(bits.y));
        float* const s = sum[m][n];
        s[0] += low.x, s[1] += low.y, s[2] += high.x, s[3] += high.y;
      }
  }
};

/// Runs the second phase. `weights` and `results` belong to the block's expanded groups. When all
/// blocks of the cluster have ended the first phase, they send partial sums to `received`. Block b
/// of the cluster adds up the units u with u % split == b.
template <int kChunks, int kStride, int kPixelTiles, int kColumnTiles>
__device__ __forceinline__ void project(const InvertedResidualArguments& a,
                                        const BlockWork<kChunks, kStride>& work,
                                        const uint4* weights, const uint4* results,
                                        uint2* received) {
  using Unit = Projection<kStride, kPixelTiles, kColumnTiles>;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int warps = static_cast<int>(blockDim.x) / 32;
  const int first_column = kStride == 1 ? work.first_column : (work.first_column + 1) / 2;
  const int pixel_groups = work.pixel_tiles() / kPixelTiles;
  const int units = pixel_groups * a.column_groups;
  const int split = static_cast<int>(gridDim.z);
  const int received_units = (units + split - 1) / split;  // most units of a block
  bool ready = false;
  for (int u = warp; u < units; u += warps) {
    const int pixel_group = u % pixel_groups;
    const int column_group = u / pixel_groups;
    Unit unit(a, work.first_row, first_column, pixel_group, column_group);
    if (split == 1) unit.begin();
    unit.multiply_groups(results + pixel_group * kPixelTiles * 32, work.pixel_tiles() * 32,
                         weights + column_group * Unit::kWeightChunks,
                         a.column_groups * Unit::kWeightChunks, work.expanded_groups);
    if (split == 1) {
      unit.store();
      continue;
    }
    if (!ready) cluster_wait();
    ready = true;
    unit.send(address_in_cluster(
        received + (static_cast<int>(blockIdx.z) * received_units + u / split) * Unit::kUnitPairs,
        u % split));
  }
  if (split == 1) return;
  if (!ready) cluster_wait();
  cluster_arrive();
  for (int received_unit = warp; received_unit < received_units || received_unit == warp;
       received_unit += warps) {
    const int u = received_unit * split + static_cast<int>(blockIdx.z);
    const bool mine = received_unit < received_units && u < units;
    Unit unit(a, work.first_row, first_column, u % pixel_groups, u / pixel_groups);
    if (mine) unit.begin();
    if (received_unit == warp) cluster_wait();
    if (!mine) break;
    for (int from = 0; from < split; ++from)
      unit.add(received + (from * received_units + received_unit) * Unit::kUnitPairs);
    unit.store();
  }
}

/// Calls the instance of project() whose template parameters are the numbers of tiles in `a`.
template <int kChunks, int kStride>
__device__ __forceinline__ void project_columns(const InvertedResidualArguments& a,
                                                const BlockWork<kChunks, kStride>& work,
                                                const uint4* weights, const uint4* results,
                                                uint2* received) {
  const auto with_columns = [&](auto pixel_tiles) {
    constexpr int kPixelTiles = decltype(pixel_tiles)::value;
    if (a.column_tiles == 2)
      project<kChunks, kStride, kPixelTiles, 2>(a, work, weights, results, received);
    if (a.column_tiles == 3)
      project<kChunks, kStride, kPixelTiles, 3>(a, work, weights, results, received);
    if (a.column_tiles == 4)
      project<kChunks, kStride, kPixelTiles, 4>(a, work, weights, results, received);
  };
  if (a.block.pixel_tiles == 1)
    with_columns(std::integral_constant<int, 1>{});
  else
    with_columns(std::integral_constant<int, 2>{});
}

}  // namespace facepipe::detector::engine
