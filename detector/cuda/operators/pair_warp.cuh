// What a warp does of a pair: 16 channels of a strip 32 pixels wide, row after row from the top.
//
// Lane group g = lane / 4 owns the pixels 4g..4g+3, lane t = lane % 4 of it the channels 4t..4t+3.
// The matrix product is laid out so that a lane finds its own pixels' sums in its registers: row g
// of product m is pixel 4g+2m, row g+8 pixel 4g+2m+1; column 2t of product n is channel 4t+2n. So
// the depthwise window needs but the outer pixels of the neighbouring lane groups.
#pragma once

#include "detector/cuda/operators/activation.cuh"
#include "detector/cuda/operators/pairs.h"
#include "detector/cuda/operators/tensor_core.cuh"

namespace facepipe::engine {

inline constexpr int kStripPixels = 32;
inline constexpr unsigned kAllLanes = ~0U;

/// A row of a strip in shared memory: pixels permuted so that those which are eight consecutive
/// rows of a matrix follow each other, in distances that let neither ldmatrix nor the copies meet
/// in a bank. 16 * kSteps channels.
template <int kSteps>
struct StripRow {
  static constexpr int kChunks = 2 * kSteps;  // of 16 bytes
  static constexpr int kPixelBytes = (kChunks + 1) * 16;
  static constexpr int kClassBytes = 8 * kPixelBytes + (kSteps == 1 ? 32 : kSteps == 2 ? 64 : 0);
  static constexpr int kBytes = 4 * kClassBytes;

  static __device__ __forceinline__ std::uint32_t place(int pixel, int chunk) {
    return static_cast<std::uint32_t>(pixel % 4 * kClassBytes + pixel / 4 * kPixelBytes +
                                      chunk * 16);
  }
  /// Where a lane's part of the first 16x16 matrix begins, for load_matrices().
  static __device__ __forceinline__ std::uint32_t matrix_place(int lane) {
    return static_cast<std::uint32_t>(lane % 16 / 8 * kClassBytes + lane % 8 * kPixelBytes +
                                      lane / 16 * 16);
  }
};

/// Two neighbouring channels of a pixel.
template <class Two>
struct Arithmetic;

template <>
struct Arithmetic<__half2> {
  static __device__ __forceinline__ __half2 fma(__half2 a, __half2 b, __half2 c) {
    return __hfma2(a, b, c);
  }
  static __device__ __forceinline__ __half2 neighbour_before(__half2 x) {
    return __shfl_up_sync(kAllLanes, x, 4);
  }
  static __device__ __forceinline__ __half2 neighbour_after(__half2 x) {
    return __shfl_down_sync(kAllLanes, x, 4);
  }
  /// At most the largest half; 0 unless all bits of `mask` are set.
  static __device__ __forceinline__ __half2 masked(float x, float y, std::uint32_t mask) {
#if __CUDA_ARCH__ >= 800
    std::uint32_t bits = 0;
    asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(y), "f"(x));
    bits &= mask;
    return reinterpret_cast<const __half2&>(bits);
#else
    return mask != 0 ? to_half2(x, y) : __half2{};
#endif
  }
  static __device__ __forceinline__ __half2 least(bool relu) {
    return __half2half2(__ushort_as_half(relu ? 0 : 0xfbff));
  }
  static __device__ __forceinline__ __half2 clamped(__half2 x, __half2 least) {
    return __hmin2(__hmax2(x, least), __half2half2(__ushort_as_half(0x7bff)));
  }
  static __device__ __forceinline__ __half2 read(const void* from, int index) {
    return __ldg(static_cast<const __half2*>(from) + index);
  }
  static __device__ __forceinline__ void store(void* to, std::size_t index, __half2 a, __half2 b) {
    *reinterpret_cast<uint2*>(static_cast<__half*>(to) + index) = {
        reinterpret_cast<const unsigned&>(a), reinterpret_cast<const unsigned&>(b)};
  }
};

template <>
struct Arithmetic<float2> {
  static __device__ __forceinline__ float2 fma(float2 a, float2 b, float2 c) {
    return {fmaf(a.x, b.x, c.x), fmaf(a.y, b.y, c.y)};
  }
  static __device__ __forceinline__ float2 neighbour_before(float2 x) {
    return {__shfl_up_sync(kAllLanes, x.x, 4), __shfl_up_sync(kAllLanes, x.y, 4)};
  }
  static __device__ __forceinline__ float2 neighbour_after(float2 x) {
    return {__shfl_down_sync(kAllLanes, x.x, 4), __shfl_down_sync(kAllLanes, x.y, 4)};
  }
  static __device__ __forceinline__ float2 masked(float x, float y, std::uint32_t mask) {
    return {mask != 0 ? x : 0, mask != 0 ? y : 0};
  }
  static __device__ __forceinline__ float2 least(bool relu) {
    const float value = relu ? 0 : __int_as_float(static_cast<int>(0xff800000U));
    return {value, value};
  }
  static __device__ __forceinline__ float2 clamped(float2 x, float2 least) {
    return {fmaxf(x.x, least.x), fmaxf(x.y, least.y)};
  }
  static __device__ __forceinline__ float2 read(const void* from, int index) {
    return __ldg(static_cast<const float2*>(from) + index);
  }
  static __device__ __forceinline__ void store(void* to, std::size_t index, float2 a, float2 b) {
    *reinterpret_cast<float4*>(static_cast<float*>(to) + index) = {a.x, a.y, b.x, b.y};
  }
};

/// A lane's four pixels and four channels of a row.
template <class Two>
using LaneRow = Two[2][4];  // a pair of channels, a pixel

/// A warp's weights, in registers, and the rows of its sums that are still to be completed.
template <int kSteps, class Two>
class PairWarp {
 public:
  using Math = Arithmetic<Two>;

  __device__ __forceinline__ PairWarp(const PairWeights& weights, int group, int groups, int lane) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
      pointwise_[step] = __ldg(weights.pointwise + (group * kSteps + step) * 32 + lane);
    const int channel = group * kPairGroup + lane % 4 * 4;
    pointwise_bias_ = __ldg(reinterpret_cast<const float4*>(weights.pointwise_bias + channel));
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

  /// The 1x1 convolution of a row at `row`, a lane's address of StripRow::matrix_place(); 0 where
  /// `masks` of the lane's pixels is.
  __device__ __forceinline__ void expand(std::uint32_t row, const std::uint32_t (&masks)[4],
                                         LaneRow<Two>& to) const {
    float sums[2][2][4];
#pragma unroll
    for (auto& product : sums) {
      product[0][0] = product[0][2] = pointwise_bias_.x;
      product[0][1] = product[0][3] = pointwise_bias_.y;
      product[1][0] = product[1][2] = pointwise_bias_.z;
      product[1][1] = product[1][3] = pointwise_bias_.w;
    }
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
#pragma unroll
      for (int m = 0; m < 2; ++m) {
        std::uint32_t pixels[4];
        load_matrices(
            pixels, row + static_cast<unsigned>(m * 2 * StripRow<kSteps>::kClassBytes + step * 32));
        multiply_add(sums[m][0], pixels, pointwise_[step].x, pointwise_[step].y);
        multiply_add(sums[m][1], pixels, pointwise_[step].z, pointwise_[step].w);
      }
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        to[n][j] = Math::masked(sums[j / 2][n][j % 2 * 2], sums[j / 2][n][j % 2 * 2 + 1], masks[j]);
  }

  /// Takes the next row of the depthwise convolution's input and completes the sums of the row
  /// before it. Those of the strip's outermost pixels are wrong.
  __device__ __forceinline__ void advance(const LaneRow<Two>& row, Two least, LaneRow<Two>& done) {
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const Two x[6] = {
          Math::neighbour_before(row[n][3]), row[n][0], row[n][1], row[n][2], row[n][3],
          Math::neighbour_after(row[n][0])};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        done[n][j] = Math::clamped(add_taps(6, n, x + j, above_[n][j]), least);
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
  float4 pointwise_bias_;
  Two taps_[9][2];
  Two bias_[2];
  LaneRow<Two> above_;  // has two rows of its window
  LaneRow<Two> below_;  // has one
};

}  // namespace facepipe::engine
