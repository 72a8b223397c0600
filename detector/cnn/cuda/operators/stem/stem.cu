#include "detector/cnn/cuda/operators/stem/stem.h"

#include "core/cuda/check.h"
#include "core/cuda/programmatic.cuh"
#include "core/error.h"
#include "detector/cnn/cuda/operators/stem/picture.cuh"
#include "detector/cnn/cuda/operators/stem/warp.cuh"
#include "detector/cnn/cuda/operators/tensor_core.cuh"

namespace facepipe::detector::engine {
namespace {

constexpr int kThreads = 32 * kStemWarps;
constexpr int kRows = 4;  // number of output rows that a warp computes
constexpr int kPixels = kStemLanePixels;
constexpr int kSums = kStemSums;

/// Returns how many rows and columns of the first layer the depthwise layer reads on each side of
/// the output.
__host__ __device__ constexpr int halo_of(int tiles) { return tiles > 0 ? 1 : 0; }
__host__ __device__ constexpr int block_rows(int tiles) {
  return kStemWarps * kRows + 2 * halo_of(tiles);
}
__host__ __device__ constexpr int picture_rows(int tiles) { return 2 * block_rows(tiles) + 1; }
constexpr std::size_t shared_bytes(int tiles) {
  return sizeof(std::uint32_t) * kStemPitch * static_cast<std::size_t>(picture_rows(tiles));
}

/// Computes a single layer with any number of channels, 16 at a time.
__global__ void __launch_bounds__(kThreads) stem_kernel(const __grid_constant__ StemArguments a) {
  extern __shared__ std::uint32_t words[];
  cuda::let_next_kernel_start();
  const int left = static_cast<int>(blockIdx.x) * kStemStrip;
  const int top = static_cast<int>(blockIdx.y) * block_rows(0);
  StemPicture<picture_rows(0)>{a, words, 2 * left - 1, 2 * top - 1}.fill();
  __syncthreads();
  const int first_row = static_cast<int>(threadIdx.x) / 32 * kRows;
  const StemWindows windows(words + 2 * first_row * kStemPitch);
  const StemResults results(a, left + stem_lane() / 4 * kPixels, top + first_row, 0, kStemStrip);
  const int rows = min(kRows, a.output_height - top - first_row);
  for (int r = 0; r < rows; ++r) {
    std::uint32_t pixels[2][kSums][4];
    for (int i = 0; i < 2; ++i) windows.load(pixels[i], r, i);
    for (int first = 0; first < a.output_pitch; first += 16) {
      const Fragments* const weights = a.weights + first / 16 * kSums;
      const int channel = first + stem_lane() % 4 * 4;
      const float4 bias = __ldg(reinterpret_cast<const float4*>(a.bias + channel));
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        float even[4] = {bias.x, bias.y, bias.x, bias.y};
        float odd[4] = {bias.z, bias.w, bias.z, bias.w};
#pragma unroll
        for (int s = 0; s < kSums; ++s) {
          const uint4 b = __ldg(&weights[s].lanes[stem_lane()]);
          multiply_add(even, pixels[i][s], b.x, b.y);
          multiply_add(odd, pixels[i][s], b.z, b.w);
        }
        results.store(r, first, i, even, odd);
      }
    }
  }
}

/// Computes a warp's part of three layers: a strip of kStemStrip columns of the first layer, from
/// the top down. The outermost columns are computed only for the windows of their neighbours. All
/// values stay in registers. A lane has the channels 8j + 2t and 8j + 2t + 1 of four neighbouring
/// pixels. The results of the depthwise layer have the layout of operands of the last layer.
/// `kOnePair` is true if the last layer has at most 16 channels.
template <int kTiles, bool kOnePair>
struct Strip {
  const StemArguments& a;
  int y;  ///< the first output row
  StemResults results;
  __half2 inside[kPixels];
  std::uint32_t weights[kSums][kTiles][2];
  __half2 bias[kTiles];
  __half2 taps[9][kTiles];
  __half2 depthwise_bias[kTiles];

  using Row = __half2[kTiles][kPixels];

  __device__ __forceinline__ Strip(const StemArguments& arguments, int left, int top)
      : a(arguments),
        y(top),
        results(arguments, left + stem_lane() / 4 * kPixels, top, 1, kStemStrip - 1) {
    const int x = left + stem_lane() / 4 * kPixels;
#pragma unroll
    for (int p = 0; p < kPixels; ++p)
      inside[p] = __float2half2_rn(x + p >= 0 && x + p < a.output_width ? 1.0F : 0.0F);
#pragma unroll
    for (int pair = 0; pair < kTiles / 2; ++pair)
#pragma unroll
      for (int s = 0; s < kSums; ++s) {
        const uint4 b = __ldg(&a.weights[pair * kSums + s].lanes[stem_lane()]);
        weights[s][2 * pair][0] = b.x;
        weights[s][2 * pair][1] = b.y;
        weights[s][2 * pair + 1][0] = b.z;
        weights[s][2 * pair + 1][1] = b.w;
      }
    read_record();
  }

  __device__ __forceinline__ void read_record() {
    constexpr int kWords = stem_record_words(kTiles);
    std::uint32_t record[kWords];
    const auto* const from = reinterpret_cast<const uint2*>(a.depthwise + stem_lane() % 4 * kWords);
#pragma unroll
    for (int i = 0; i < kWords / 2; ++i) {
      const uint2 words = __ldg(from + i);
      record[2 * i] = words.x;
      record[2 * i + 1] = words.y;
    }
#pragma unroll
    for (int j = 0; j < kTiles; ++j) {
      bias[j] = as_half2(record[j]);
#pragma unroll
      for (int tap = 0; tap < 9; ++tap) taps[tap][j] = as_half2(record[(1 + tap) * kTiles + j]);
      depthwise_bias[j] = as_half2(record[10 * kTiles + j]);
    }
  }

  /// Computes a row of the first layer. Outside of the map, the row is zero.
  __device__ __forceinline__ void convolve(Row& to, const StemWindows& windows, int row) const {
    const int map_row = y - 1 + row;
    const __half2 row_inside =
        __float2half2_rn(map_row >= 0 && map_row < a.output_height ? 1.0F : 0.0F);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      std::uint32_t pixels[kSums][4];
      windows.load(pixels, row, i);
      const __half2 masks[2] = {__hmul2(inside[2 * i], row_inside),
                                __hmul2(inside[2 * i + 1], row_inside)};
#pragma unroll
      for (int j = 0; j < kTiles; ++j) {
        __half2 sums[2];
        multiply_add(sums, pixels[0], weights[0][j][0], weights[0][j][1], bias[j], bias[j]);
        multiply_add(sums, pixels[1], weights[1][j][0], weights[1][j][1], sums[0], sums[1]);
        const __half2 zero = __half2half2(__ushort_as_half(0));
        to[j][2 * i] = multiply_add_relu(sums[0], masks[0], zero);
        to[j][2 * i + 1] = multiply_add_relu(sums[1], masks[1], zero);
      }
    }
  }

  /// Multiplies a row of the first layer by tap row kKy, and adds the products to the sums of a row
  /// of the depthwise layer.
  template <int kKy>
  __device__ __forceinline__ void add_taps(Row& sums, const Row& row,
                                           const __half2 (&before)[kTiles],
                                           const __half2 (&after)[kTiles]) const {
#pragma unroll
    for (int j = 0; j < kTiles; ++j)
#pragma unroll
      for (int p = 0; p < kPixels; ++p) {
        const __half2 start = kKy == 0 ? depthwise_bias[j] : sums[j][p];
        const __half2 left = p == 0 ? before[j] : row[j][p == 0 ? 0 : p - 1];
        const __half2 right = p == kPixels - 1 ? after[j] : row[j][p == kPixels - 1 ? p : p + 1];
        __half2 sum = __hfma2(left, taps[3 * kKy][j], start);
        sum = __hfma2(row[j][p], taps[3 * kKy + 1][j], sum);
        sums[j][p] = kKy == 2 ? multiply_add_relu(right, taps[3 * kKy + 2][j], sum)
                              : __hfma2(right, taps[3 * kKy + 2][j], sum);
      }
  }

  /// Computes a row of the last layer and stores it.
  __device__ __forceinline__ void project(const Row& row, int r) const {
    if (y + r >= a.output_height) return;
    for (int first = 0; first < (kOnePair ? 16 : a.output_pitch); first += 16) {
      const Fragments* const from = a.pointwise + first / 16 * (kTiles / 2);
      const int channel = first + stem_lane() % 4 * 4;
      const float4 start = __ldg(reinterpret_cast<const float4*>(a.bias + channel));
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        float even[4] = {start.x, start.y, start.x, start.y};
        float odd[4] = {start.z, start.w, start.z, start.w};
#pragma unroll
        for (int s = 0; s < kTiles / 2; ++s) {
          const std::uint32_t pixels[4] = {
              bits_of(row[2 * s][2 * i]), bits_of(row[2 * s][2 * i + 1]),
              bits_of(row[2 * s + 1][2 * i]), bits_of(row[2 * s + 1][2 * i + 1])};
          const uint4 b = __ldg(&from[s].lanes[stem_lane()]);
          multiply_add(even, pixels, b.x, b.y);
          multiply_add(odd, pixels, b.z, b.w);
        }
        results.store(r, first, i, even, odd);
      }
    }
  }

  __device__ __forceinline__ void run(const StemWindows& windows) const {
    Row sums[3];
#pragma unroll
    for (int r = 0; r < kRows + 2; ++r) {
      Row row;
      convolve(row, windows, r);
      __half2 before[kTiles];
      __half2 after[kTiles];
#pragma unroll
      for (int j = 0; j < kTiles; ++j) {
        before[j] = __shfl_up_sync(~0U, row[j][kPixels - 1], 4);
        after[j] = __shfl_down_sync(~0U, row[j][0], 4);
      }
      if (r >= 2) add_taps<2>(sums[(r + 1) % 3], row, before, after);
      if (r >= 1 && r <= kRows) add_taps<1>(sums[(r + 2) % 3], row, before, after);
      if (r < kRows) add_taps<0>(sums[r % 3], row, before, after);
      if (r >= 2) project(sums[(r + 1) % 3], r - 2);
    }
  }
};

template <int kTiles, bool kOnePair>
__global__ void __launch_bounds__(kThreads)
    stem_block_kernel(const __grid_constant__ StemArguments a) {
  extern __shared__ std::uint32_t words[];
  cuda::let_next_kernel_start();
  const int left = static_cast<int>(blockIdx.x) * (kStemStrip - 2) - 1;
  const int top = static_cast<int>(blockIdx.y) * kStemWarps * kRows;
  StemPicture<picture_rows(kTiles)>{a, words, 2 * left - 1, 2 * (top - 1) - 1}.fill();
  __syncthreads();
  const int first_row = static_cast<int>(threadIdx.x) / 32 * kRows;
  if (top + first_row >= a.output_height) return;
  const StemWindows windows(words + 2 * first_row * kStemPitch);
  Strip<kTiles, kOnePair>(a, left, top + first_row).run(windows);
}

unsigned divide_up(int value, int by) { return static_cast<unsigned>((value + by - 1) / by); }

template <int kTiles>
void launch_block(const StemArguments& arguments, dim3 grid, cudaStream_t stream) {
  constexpr int kPair = 16;
  if (arguments.output_pitch <= kPair)
    stem_block_kernel<kTiles, true><<<grid, kThreads, shared_bytes(kTiles), stream>>>(arguments);
  else
    stem_block_kernel<kTiles, false><<<grid, kThreads, shared_bytes(kTiles), stream>>>(arguments);
}

}  // namespace

void launch_stem(int tiles, const StemArguments& arguments, cudaStream_t stream) {
  const int columns = kStemStrip - 2 * halo_of(tiles);
  const dim3 grid(divide_up(arguments.output_width, columns),
                  divide_up(arguments.output_height, kStemWarps * kRows));
  switch (tiles) {
    case 0:
      stem_kernel<<<grid, kThreads, shared_bytes(0), stream>>>(arguments);
      break;
    case 2:
      launch_block<2>(arguments, grid, stream);
      break;
    case 4:
      launch_block<4>(arguments, grid, stream);
      break;
    default:
      throw Error(ErrorKind::internal, "stem: there is no kernel for this number of channels");
  }
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::detector::engine
