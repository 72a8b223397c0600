// The kernel of inverted_residual.h. A lane's g and t are those of fragments.cuh.
//
// Pixels of a strip lie in shared memory in an order of which every eighth is a neighbour: pixel p
// at place p % 4 * 8 + p / 4. Row g of the strip's fragments is then pixel 4g, 4g + 1, 4g + 2, or
// 4g + 3: a lane has four neighbouring pixels of two channels, and the lanes 4 before and behind
// have those beside them.
#pragma once

#include "core/cuda/programmatic.cuh"
#include "detector/cuda/operators/activation.cuh"
#include "detector/cuda/operators/cluster.cuh"
#include "detector/cuda/operators/fragments.cuh"
#include "detector/cuda/operators/inverted_residual.h"
#include "detector/cuda/operators/tensor_core.cuh"

namespace facepipe::engine {

inline constexpr int kStripWidth = 32;
inline constexpr int kStripInputs = 4;  ///< pixels of a lane
inline constexpr int kTaps = 9;
inline constexpr int kDepthwiseBlocks = 6;  ///< 16 bytes each, of a chunk's weights for one t
inline constexpr int kLargestHalves = 0x7bff7bff;  ///< two of them

/// Bytes from a pixel to the next in shared memory: an odd number of 16, so that eight rows of a
/// fragment lie in different banks.
__host__ __device__ constexpr int strip_pitch(int eighths) {
  return (eighths % 2 == 0 ? eighths + 1 : eighths) * 16;
}
__host__ __device__ constexpr int strip_rows(int stride, int output_rows) {
  return stride * (output_rows - 1) + 3;
}
/// Fragments of 16 pixels that a strip's row of results makes.
__host__ __device__ constexpr int pixel_tiles_of_row(int stride) { return 2 / stride; }

/// Expansion weights of 16 channels and what the depthwise convolution needs of them, in registers.
template <int kEighths>
struct ChunkWeights {
  static constexpr int kSteps = kEighths / 2;  ///< over 16 input channels
  static constexpr bool kRest = kEighths % 2 != 0;
  static constexpr int kExpandBlocks = kSteps * 32 + (kRest ? 16 : 0);
  static constexpr int kDepthwiseBlocks = engine::kDepthwiseBlocks;

  uint4 expand[kSteps];
  uint2 rest;
  std::uint32_t tap[kTaps][2];
  std::uint32_t bias[2];
  std::uint32_t expand_bias[2][2];  ///< twice, as C of a product

  /// From the weights of one chunk, wherever they are.
  __device__ __forceinline__ void load(const uint4* expand_from, const uint4* depthwise_from,
                                       int lane) {
#pragma unroll
    for (int s = 0; s < kSteps; ++s) expand[s] = expand_from[s * 32 + lane];
    if constexpr (kRest) rest = reinterpret_cast<const uint2*>(expand_from + kSteps * 32)[lane];
    std::uint32_t words[4 * kDepthwiseBlocks];
#pragma unroll
    for (int i = 0; i < kDepthwiseBlocks; ++i)
      reinterpret_cast<uint4*>(words)[i] = depthwise_from[lane % 4 * kDepthwiseBlocks + i];
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

/// Two channels each of a lane's pixels: [pixel][tile of 8 channels].
using RowValues = std::uint32_t[kStripInputs][2];

/// One row of the strip times the weights of 16 channels, without relu.
template <int kEighths>
__device__ __forceinline__ void expand_row(std::uint32_t row, const ChunkWeights<kEighths>& w,
                                           int lane, RowValues& to) {
  constexpr int kPitch = strip_pitch(kEighths);
  using Weights = ChunkWeights<kEighths>;
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

/// Relu, at most the largest half, and 0 where a pixel's limit is 0: outside the picture the
/// depthwise convolution is padded with zeros, not with relu(bias).
__device__ __forceinline__ void limit(RowValues& values,
                                      const std::uint32_t (&limits)[kStripInputs], bool inside) {
#pragma unroll
  for (int p = 0; p < kStripInputs; ++p) {
    const __half2 most = as_half2(inside ? limits[p] : 0);
#pragma unroll
    for (int n = 0; n < 2; ++n)
      values[p][n] =
          as_bits(__hmin2(__hmax2(as_half2(values[p][n]), as_half2(0)), most));
  }
}

/// Adds the three taps of row `kTapRow` of the window to a lane's results of a row. The first row's
/// start from the bias, the last row's end with relu.
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
      // Stride 1: pixels o - 1 to o + 1; stride 2, whose strip begins a pixel later: 2 o to 2 o + 2.
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
      sums[o][n] = as_bits(sum);
    }
}

/// 16 expanded channels of kRows rows of results, to `results`: fragments of 16 pixels, each 32
/// times 16 bytes.
template <int kEighths, int kStride, int kRows>
__device__ __forceinline__ void expand_and_filter(const ChunkWeights<kEighths>& w,
                                                  std::uint32_t strip, int first_y, int height,
                                                  const std::uint32_t (&limits)[kStripInputs],
                                                  int lane, uint4* results) {
  constexpr int kOutputs = kStripInputs / kStride;
  constexpr int kRowBytes = kStripWidth * strip_pitch(kEighths);
  std::uint32_t sums[kRows][kOutputs][2];
#pragma unroll
  for (int row = 0; row < strip_rows(kStride, kRows); ++row) {
    RowValues values;
    expand_row<kEighths>(strip + row * kRowBytes, w, lane, values);
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
          results[(r * pixel_tiles_of_row(kStride) + m) * 32 + lane] =
              uint4{sums[r][2 * m][0], sums[r][2 * m + 1][0], sums[r][2 * m][1],
                    sums[r][2 * m + 1][1]};
      }
    }
  }
}

/// A block's place in the picture, and its share of the expanded channels.
template <int kEighths, int kStride>
struct BlockPlace {
  int first_row;     ///< of the output
  int first_column;  ///< of the input, pixel 0 of the strip
  int rows;          ///< of output
  int first_chunk;
  int chunks;

  __device__ BlockPlace(const InvertedResidualArguments& a, int rows_of_block)
      : first_row(static_cast<int>(blockIdx.y) * rows_of_block),
        first_column(static_cast<int>(blockIdx.x) * kStripPixels - 1),
        rows(rows_of_block),
        first_chunk(a.chunks * static_cast<int>(blockIdx.z) / static_cast<int>(gridDim.z)),
        chunks(a.chunks * static_cast<int>(blockIdx.z + 1) / static_cast<int>(gridDim.z) -
               first_chunk) {}

  [[nodiscard]] __device__ int first_input_row() const { return kStride * first_row - 1; }
  [[nodiscard]] __device__ int input_rows() const { return strip_rows(kStride, rows); }
  [[nodiscard]] __device__ int pixel_tiles() const { return rows * pixel_tiles_of_row(kStride); }
  [[nodiscard]] __device__ int strip_bytes() const {
    return input_rows() * kStripWidth * strip_pitch(kEighths);
  }
};

/// 16 bytes at a time, each thread the same place of one row after the other.
template <int kEighths, int kStride>
__device__ __forceinline__ void load_strip(const InvertedResidualArguments& a,
                                           const BlockPlace<kEighths, kStride>& place,
                                           std::uint32_t to) {
  constexpr int kPitch = strip_pitch(kEighths);
  const std::ptrdiff_t row_halves = static_cast<std::ptrdiff_t>(a.input_width) * a.input_pitch;
  for (int i = static_cast<int>(threadIdx.x); i < kStripWidth * kEighths;
       i += static_cast<int>(blockDim.x)) {
    const int eighth = i % kEighths;
    const int pixel = i / kEighths;
    const int x = place.first_column + pixel;
    const bool inside = x >= 0 && x < a.input_width && eighth < a.input_eighths;
    int y = place.first_input_row();
    const __half* from = a.input + y * row_halves + x * a.input_pitch + eighth * 8;
    const int slot = pixel % kStripInputs * 8 + pixel / kStripInputs;
    std::uint32_t at = to + slot * kPitch + eighth * 16;
    for (int row = 0; row < place.input_rows(); ++row) {
      const bool valid = inside && y >= 0 && y < a.input_height;
      copy_async<false>(at, valid ? from : a.input, valid);
      ++y;
      from += row_halves;
      at += kStripWidth * kPitch;
    }
  }
}

/// All threads copy `count` times 16 bytes.
__device__ __forceinline__ void load_blocks(const uint4* from, uint4* to, int count) {
  const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
    copy_async<false>(at + i * 16, from + i, true);
}

/// The projection of some pixels to some channels, and its way out.
template <int kStride, int kPixelTiles, int kColumnTiles>
struct Projection {
  static constexpr int kBlocks = kColumnTiles * 16;  ///< of weights of a chunk
  static constexpr int kPlaceBlocks = kPixelTiles * kColumnTiles * 32;  ///< of 8 bytes, a unit
  static constexpr int kPixels = 2 * kPixelTiles;                       ///< a lane has

  const InvertedResidualArguments& a;
  int lane;
  int channel;                  ///< a lane's first
  int pixel[kPixels];  ///< of the output; negative: it yields no result
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
      pixel[i] = yields && y < a.output_height && x < a.output_width
                     ? y * a.output_width + x
                     : -1;
    }
  }

  /// Where the words of a lane's tiles lie from its first channel on: tiles 0 and 1, or 0 to 3,
  /// follow each other; a third tile stands behind those of all lanes.
  [[nodiscard]] __device__ __forceinline__ int last_channel() const {
    return channel + 16 - 2 * (lane % 4);
  }

  /// Words of two channels of one pixel, to or from memory.
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

  /// Sums begin with the bias; residuals are asked for early, as they come from far.
  __device__ __forceinline__ void begin() {
#pragma unroll
    for (int n = 0; n < kColumnTiles; ++n) {
      const float2 bias = __ldg(reinterpret_cast<const float2*>(
          a.bias + (kColumnTiles == 3 && n == 2 ? last_channel() : channel + 2 * n)));
#pragma unroll
      for (int m = 0; m < kPixelTiles; ++m) {
        sum[m][n][0] = sum[m][n][2] = bias.x;
        sum[m][n][1] = sum[m][n][3] = bias.y;
      }
    }
    if (a.residual == nullptr) return;
#pragma unroll
    for (int i = 0; i < kPixels; ++i)
      if (pixel[i] >= 0)
        move_words([&](int c, int n, auto word) {
          reinterpret_cast<decltype(word)&>(added[i][n]) =
              *reinterpret_cast<const decltype(word)*>(a.residual + static_cast<std::ptrdiff_t>(pixel[i]) * a.residual_pitch +
                                                       c);
        });
  }

  /// Over the block's chunks. `results` and `weights` are those of the first chunk.
  __device__ __forceinline__ void multiply_chunks(const uint4* results, int results_step,
                                                  const uint4* weights, int weights_step,
                                                  int chunks) {
#pragma unroll 2
    for (int c = 0; c < chunks; ++c) {
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

  /// Activation, residual, and out.
  __device__ __forceinline__ void store() const {
#pragma unroll
    for (int i = 0; i < kPixels; ++i) {
      std::uint32_t out[kColumnTiles];
#pragma unroll
      for (int n = 0; n < kColumnTiles; ++n) {
        const float2 more = __half22float2(as_half2(added[i][n]));
        const float* const s = sum[i / 2][n] + i % 2 * 2;
        out[n] = as_bits(
            to_half2(fmaxf(s[0], a.least) + more.x, fmaxf(s[1], a.least) + more.y));
      }
      if (pixel[i] >= 0)
        move_words([&](int c, int n, auto word) {
          *reinterpret_cast<decltype(word)*>(a.output + static_cast<std::ptrdiff_t>(pixel[i]) * a.output_pitch + c) =
              reinterpret_cast<const decltype(word)&>(out[n]);
        });
    }
  }

  /// Partial sums to the block that adds them up.
  __device__ __forceinline__ void send(std::uint32_t to) const {
#pragma unroll
    for (int m = 0; m < kPixelTiles; ++m)
#pragma unroll
      for (int n = 0; n < kColumnTiles; ++n) {
        const float* const s = sum[m][n];
        store_in_cluster(to + ((m * kColumnTiles + n) * 32 + lane) * 8,
                         uint2{as_bits(to_half2(s[0], s[1])), as_bits(to_half2(s[2], s[3]))});
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

/// The second phase. `weights` and `results` are those of the block's chunks; `received` has room
/// for what the cluster's other blocks send once all have ended the first phase.
template <int kEighths, int kStride, int kPixelTiles, int kColumnTiles>
__device__ __forceinline__ void project(const InvertedResidualArguments& a,
                                        const BlockPlace<kEighths, kStride>& place,
                                        const uint4* weights, const uint4* results,
                                        uint2* received) {
  using Unit = Projection<kStride, kPixelTiles, kColumnTiles>;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int warps = static_cast<int>(blockDim.x) / 32;
  const int first_column = kStride == 1 ? place.first_column : (place.first_column + 1) / 2;
  const int pixel_groups = place.pixel_tiles() / kPixelTiles;
  const int units = pixel_groups * a.column_groups;
  const int split = static_cast<int>(gridDim.z);
  const int slots = (units + split - 1) / split;  // of units that a block of a cluster adds up
  bool ready = false;
  for (int u = warp; u < units; u += warps) {
    const int pixel_group = u % pixel_groups;
    const int column_group = u / pixel_groups;
    Unit unit(a, place.first_row, first_column, pixel_group, column_group);
    if (split == 1) unit.begin();
    unit.multiply_chunks(results + pixel_group * kPixelTiles * 32, place.pixel_tiles() * 32,
                         weights + column_group * Unit::kBlocks, a.column_groups * Unit::kBlocks,
                         place.chunks);
    if (split == 1) {
      unit.store();
      continue;
    }
    if (!ready) cluster_wait();
    ready = true;
    unit.send(address_in_cluster(
        received + (static_cast<int>(blockIdx.z) * slots + u / split) * Unit::kPlaceBlocks,
        u % split));
  }
  if (split == 1) return;
  if (!ready) cluster_wait();
  cluster_arrive();
  for (int slot = warp; slot < slots || slot == warp; slot += warps) {
    const int u = slot * split + static_cast<int>(blockIdx.z);
    const bool mine = slot < slots && u < units;
    Unit unit(a, place.first_row, first_column, u % pixel_groups, u / pixel_groups);
    if (mine) unit.begin();
    if (slot == warp) cluster_wait();
    if (!mine) break;
    for (int from = 0; from < split; ++from)
      unit.add(received + (from * slots + slot) * Unit::kPlaceBlocks);
    unit.store();
  }
}

constexpr int most_threads(int eighths) { return eighths <= 4 ? 512 : 384; }

template <int kEighths, int kStride, int kRows>
__global__ void __launch_bounds__(most_threads(kEighths))
    inverted_residual_kernel(const __grid_constant__ InvertedResidualArguments a) {
  extern __shared__ __align__(16) uint4 shared[];
  using Weights = ChunkWeights<kEighths>;
  const BlockPlace<kEighths, kStride> place(a, kRows * a.row_groups);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warps = static_cast<int>(blockDim.x) / 32;
  const auto strip = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  const int column_blocks = a.column_groups * a.column_tiles * 16;
  uint4* const project_weights = shared + a.strip_blocks;
  uint4* const results = project_weights + a.block_chunks * column_blocks;
  const int items = place.chunks * a.row_groups;
  int item = static_cast<int>(threadIdx.x) / 32;

  // Weights are nobody's output, so that they come while the kernel before still runs. Those of the
  // first phase go to shared memory where a warp has more than one piece of work.
  const uint4* expand = a.expand + place.first_chunk * Weights::kExpandBlocks;
  const uint4* depthwise = a.depthwise + place.first_chunk * Weights::kDepthwiseBlocks * 4;
  load_blocks(a.project + place.first_chunk * column_blocks, project_weights,
              place.chunks * column_blocks);
  Weights weights;
  if (a.stage_weights != 0) {
    uint4* const staged = results + a.block_chunks * place.pixel_tiles() * 32;
    uint4* const staged_depthwise = staged + a.block_chunks * Weights::kExpandBlocks;
    load_blocks(expand, staged, place.chunks * Weights::kExpandBlocks);
    load_blocks(depthwise, staged_depthwise, place.chunks * Weights::kDepthwiseBlocks * 4);
    expand = staged;
    depthwise = staged_depthwise;
  }
  const auto load_weights = [&](int i) {
    const int chunk = i / a.row_groups;
    weights.load(expand + chunk * Weights::kExpandBlocks,
                 depthwise + chunk * Weights::kDepthwiseBlocks * 4, lane);
  };
  if (a.stage_weights == 0 && item < items) load_weights(item);
  cuda::wait_for_previous_kernel();
  cuda::let_next_kernel_start();
  load_strip(a, place, strip);
  copies_commit();
  std::uint32_t limits[kStripInputs];
#pragma unroll
  for (int p = 0; p < kStripInputs; ++p) {
    const int x = place.first_column + lane / 4 * kStripInputs + p;
    limits[p] = x >= 0 && x < a.input_width ? kLargestHalves : 0;
  }
  copies_wait<0>();
  __syncthreads();

  constexpr int kGroupTiles = kRows * pixel_tiles_of_row(kStride);
  bool loaded = a.stage_weights == 0;
  for (; item < items; item += warps) {
    if (!loaded) load_weights(item);
    loaded = false;
    const int chunk = item / a.row_groups;
    const int group = item % a.row_groups;
    const int row = kStride * kRows * group;
    expand_and_filter<kEighths, kStride, kRows>(
        weights, strip + row * kStripWidth * strip_pitch(kEighths), place.first_input_row() + row,
        a.input_height, limits, lane,
        results + (chunk * place.pixel_tiles() + group * kGroupTiles) * 32);
  }
  __syncthreads();
  if (gridDim.z > 1) cluster_arrive_relaxed();  // the strip may be overwritten

  auto* const received = reinterpret_cast<uint2*>(shared);
  const auto with_tiles = [&](auto pixel_tiles, auto column_tiles) {
    project<kEighths, kStride, decltype(pixel_tiles)::value, decltype(column_tiles)::value>(
        a, place, project_weights, results, received);
  };
  const auto with_columns = [&](auto pixel_tiles) {
    if (a.column_tiles == 2) with_tiles(pixel_tiles, std::integral_constant<int, 2>{});
    if (a.column_tiles == 3) with_tiles(pixel_tiles, std::integral_constant<int, 3>{});
    if (a.column_tiles == 4) with_tiles(pixel_tiles, std::integral_constant<int, 4>{});
  };
  if (a.pixel_tiles == 1)
    with_columns(std::integral_constant<int, 1>{});
  else
    with_columns(std::integral_constant<int, 2>{});
}

}  // namespace facepipe::engine
