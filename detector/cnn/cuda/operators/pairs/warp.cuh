// Computes a warp's part of a pair of convolutions (pairs.h): 16 channels of a strip that is 32
// pixels wide, row after row from the top.
//
// With g = lane / 4 and t = lane % 4, a lane computes the channels 4t..4t+3 of the pixels 4g..4g+3.
// For a row of the strip, the warp computes 2 x 2 matrix products (m, n) of 16 pixels and 8
// channels: m = 0, 1 chooses the pixels, and n = 0, 1 chooses the channels. The tensor cores give a
// lane the rows g and g + 8 and the columns 2t and 2t + 1 of each product. Row g is pixel 4g + 2m,
// and row g + 8 is pixel 4g + 2m + 1. Column 2t is channel 4t + 2n, and column 2t + 1 is channel
// 4t + 2n + 1. So a lane gets the sums of its own pixels and channels. For the depthwise window, it
// then needs only two pixels of other lanes: the last pixel of the lanes with g - 1 and the first
// pixel of the lanes with g + 1.
#pragma once

#include "detector/cnn/cuda/operators/activation.cuh"
#include "detector/cnn/cuda/operators/pairs/pairs.h"
#include "detector/cnn/cuda/operators/tensor_core.cuh"

namespace facepipe::detector::engine {

inline constexpr int kWarpPixels = 32;
inline constexpr unsigned kAllLanes = ~0U;

/// Describes a row of a strip in shared memory, with 16 * kSteps channels. Pixels with the same p %
/// 4 are eight successive rows of a matrix, and are stored one after the other. With the distances
/// below, ldmatrix and the copies have no bank conflicts.
template <int kSteps>
struct StripRow {
  static constexpr int kChunks = 2 * kSteps;  // chunks of 16 bytes
  static constexpr int kPixelBytes = (kChunks + 1) * 16;
  static constexpr int kClassBytes = 8 * kPixelBytes + (kSteps == 1 ? 32 : kSteps == 2 ? 64 : 0);
  static constexpr int kBytes = 4 * kClassBytes;

  static __device__ __forceinline__ std::uint32_t offset(int pixel, int chunk) {
    return static_cast<std::uint32_t>(pixel % 4 * kClassBytes + pixel / 4 * kPixelBytes +
                                      chunk * 16);
  }
  /// Returns the offset that the lane passes to load_matrices() for the first 16x16 matrix.
  static __device__ __forceinline__ std::uint32_t matrix_offset(int lane) {
    return static_cast<std::uint32_t>(lane % 16 / 8 * kClassBytes + lane % 8 * kPixelBytes +
                                      lane / 16 * 16);
  }
};

/// Computes with a pair of neighbouring channels of a pixel, as halves or as floats.
template <class Two>
struct Arithmetic;

template <>
struct Arithmetic<__half2> {
  using Element = __half;

  static __device__ __forceinline__ __half2 fma(__half2 a, __half2 b, __half2 c) {
    return __hfma2(a, b, c);
  }
  static __device__ __forceinline__ __half2 neighbour_before(__half2 x) {
    return __shfl_up_sync(kAllLanes, x, 4);
  }
  static __device__ __forceinline__ __half2 neighbour_after(__half2 x) {
    return __shfl_down_sync(kAllLanes, x, 4);
  }
  /// Converts two values to halves. A value beyond the range of a half becomes the largest half (or
  /// the least one).
  static __device__ __forceinline__ __half2 bounded(float x, float y) {
    std::uint32_t bits = 0;
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(y), "f"(x));
#endif
    return reinterpret_cast<const __half2&>(bits);
  }
  /// Adds the last product of a sum and applies relu. The result is also limited to the range of a
  /// half.
  template <bool kRelu>
  static __device__ __forceinline__ __half2 last_fma(__half2 a, __half2 b, __half2 c) {
    const __half2 most = __half2half2(__ushort_as_half(0x7bff));
    if constexpr (kRelu) return __hmin2(__hfma2_relu(a, b, c), most);
    return __hmin2(__hmax2(__hfma2(a, b, c), __hneg2(most)), most);
  }
  static __device__ __forceinline__ __half2 read(const void* from, int index) {
    return __ldg(static_cast<const __half2*>(from) + index);
  }
  static __device__ __forceinline__ void store(Element* to, __half2 a, __half2 b) {
    *reinterpret_cast<uint2*>(to) = {reinterpret_cast<const unsigned&>(a),
                                     reinterpret_cast<const unsigned&>(b)};
  }
};

template <>
struct Arithmetic<float2> {
  using Element = float;

  static __device__ __forceinline__ float2 fma(float2 a, float2 b, float2 c) {
    return {fmaf(a.x, b.x, c.x), fmaf(a.y, b.y, c.y)};
  }
  static __device__ __forceinline__ float2 neighbour_before(float2 x) {
    return {__shfl_up_sync(kAllLanes, x.x, 4), __shfl_up_sync(kAllLanes, x.y, 4)};
  }
  static __device__ __forceinline__ float2 neighbour_after(float2 x) {
    return {__shfl_down_sync(kAllLanes, x.x, 4), __shfl_down_sync(kAllLanes, x.y, 4)};
  }
  static __device__ __forceinline__ float2 bounded(float x, float y) { return {x, y}; }
  template <bool kRelu>
  static __device__ __forceinline__ float2 last_fma(float2 a, float2 b, float2 c) {
    const float2 sum = fma(a, b, c);
    return kRelu ? float2{fmaxf(sum.x, 0.0F), fmaxf(sum.y, 0.0F)} : sum;
  }
  static __device__ __forceinline__ float2 read(const void* from, int index) {
    return __ldg(static_cast<const float2*>(from) + index);
  }
  static __device__ __forceinline__ void store(Element* to, float2 a, float2 b) {
    *reinterpret_cast<float4*>(to) = {a.x, a.y, b.x, b.y};
  }
};

/// Holds a lane's values of a row: four channels of four pixels.
template <class Two>
using LaneRow = Two[2][4];  // [pair of channels][pixel]

/// Computes to = a * b + sum. The operands have the same form as those of multiply_add().
__device__ __forceinline__ void multiply_add_to(float (&to)[4], const std::uint32_t (&a)[4],
                                                std::uint32_t b0, std::uint32_t b1,
                                                const float (&sum)[4]) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%10, %11, %12, %13};"
      : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(sum[0]), "f"(sum[1]),
        "f"(sum[2]), "f"(sum[3]));
#endif
}

/// Holds a warp's weights in registers, and the sums of the output rows whose windows are not yet
/// complete.
template <int kSteps, class Two>
class PairWarp {
 public:
  using Math = Arithmetic<Two>;
  using Sums = float[2][2][4];  // [product m][product n][sums]

  __device__ __forceinline__ PairWarp(const PairWeights& weights, int group, int groups, int lane) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
      pointwise_[step] = __ldg(weights.pointwise + (group * kSteps + step) * 32 + lane);
    const int channel = group * kPairGroup + lane % 4 * 4;
    const float4 bias = __ldg(reinterpret_cast<const float4*>(weights.pointwise_bias + channel));
    pointwise_bias_[0][0] = pointwise_bias_[0][2] = bias.x;
    pointwise_bias_[0][1] = pointwise_bias_[0][3] = bias.y;
    pointwise_bias_[1][0] = pointwise_bias_[1][2] = bias.z;
    pointwise_bias_[1][1] = pointwise_bias_[1][3] = bias.w;
#pragma unroll
    for (int n = 0; n < 2; ++n) {
#pragma unroll
      for (int tap = 0; tap < 9; ++tap)
        taps_[tap][n] =
            Math::read(weights.depthwise, (tap * groups * kPairGroup + channel) / 2 + n);
      bias_[n] = Math::read(weights.depthwise_bias, channel / 2 + n);
#pragma unroll
      for (int j = 0; j < 4; ++j) above_[n][j] = below_[n][j] = bias_[n];
    }
  }

  /// Computes the 1x1 convolution of a row. `row` is the row's address plus
  /// StripRow::matrix_offset(). If kMore is true, the products are added to the values in `sums`;
  /// otherwise the sums begin with the bias.
  template <bool kMore>
  __device__ __forceinline__ void multiply(std::uint32_t row, Sums& sums) const {
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
#pragma unroll
      for (int m = 0; m < 2; ++m) {
        std::uint32_t pixels[4];
        load_matrices(
            pixels, row + static_cast<unsigned>(m * 2 * StripRow<kSteps>::kClassBytes + step * 32));
        const uint4& weights = pointwise_[step];
        if (step == 0 && !kMore) {
          multiply_add_to(sums[m][0], pixels, weights.x, weights.y, pointwise_bias_[0]);
          multiply_add_to(sums[m][1], pixels, weights.z, weights.w, pointwise_bias_[1]);
        } else {
          multiply_add(sums[m][0], pixels, weights.x, weights.y);
          multiply_add(sums[m][1], pixels, weights.z, weights.w);
        }
      }
  }

  /// Converts the results of multiply() to a row of input of the depthwise convolution.
  static __device__ __forceinline__ void to_row(const Sums& sums, LaneRow<Two>& row) {
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        row[n][j] = Math::bounded(sums[j / 2][n][j % 2 * 2], sums[j / 2][n][j % 2 * 2 + 1]);
  }

  /// Sets the pixels whose bit in `inside` is 0 to zero, because the depthwise convolution is
  /// padded with zeros outside of the map.
  static __device__ __forceinline__ void mask(unsigned inside, LaneRow<Two>& row) {
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        if ((inside >> j & 1) == 0) row[n][j] = Two{};
  }

  /// Adds the products of the next row to the sums. `done` gets the results of the previous row,
  /// whose windows are now complete. Results of the strip's outermost pixels are undefined.
  template <bool kRelu>
  __device__ __forceinline__ void advance(const LaneRow<Two>& row, LaneRow<Two>& done) {
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const Two x[6] = {
          Math::neighbour_before(row[n][3]), row[n][0], row[n][1], row[n][2], row[n][3],
          Math::neighbour_after(row[n][0])};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const Two sum =
            Math::fma(taps_[7][n], x[j + 1], Math::fma(taps_[6][n], x[j], above_[n][j]));
        done[n][j] = Math::template last_fma<kRelu>(taps_[8][n], x[j + 2], sum);
        above_[n][j] = add_taps(3, n, x + j, below_[n][j]);
        below_[n][j] = add_taps(0, n, x + j, bias_[n]);
      }
    }
  }

 private:
  __device__ __forceinline__ Two add_taps(int first, int n, const Two* x, Two sum) const {
#pragma unroll
    for (int i = 0; i < 3; ++i) sum = Math::fma(taps_[first + i][n], x[i], sum);
    return sum;
  }

  uint4 pointwise_[kSteps];
  float pointwise_bias_[2][4];
  Two taps_[9][2];
  Two bias_[2];
  LaneRow<Two> above_;  // sums of the row before the last row; one row of their window is missing
  LaneRow<Two> below_;  // sums of the last row; two rows of their window are missing
};

}  // namespace facepipe::detector::engine
