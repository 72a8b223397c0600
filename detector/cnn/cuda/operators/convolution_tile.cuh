// Computes a tile: the part of a convolution's matrix product that a thread block computes.
#pragma once

#include <type_traits>

#include "detector/cnn/cuda/operators/activation.cuh"
#include "detector/cnn/cuda/operators/convolution.h"
#include "detector/cnn/cuda/operators/tensor_core.cuh"

namespace facepipe::detector::engine {

inline constexpr int kTileWarps = 4;
inline constexpr int kTileThreads = kTileWarps * 32;
inline constexpr int kTileChunk = 8;   // number of halves that one load of 16 bytes reads
inline constexpr int kTileStages = 3;  // number of steps that are in shared memory at a time

__host__ __device__ constexpr int tile_rows(int rows) { return 16 * kTileWarps * rows; }
/// Returns the number of halves from one row to the next in shared memory. With it, chunks of eight
/// successive rows lie in different banks.
__host__ __device__ constexpr int pitch_of(int step) { return step + kTileChunk; }
__host__ __device__ constexpr int stage_halves(int rows, int columns, int step) {
  // Column fragments are loaded in pairs. If their number is odd, the last load reads one more
  // fragment, which is not used.
  return (tile_rows(rows) + 8 * (columns + columns % 2)) * pitch_of(step);
}
__host__ __device__ constexpr int divide_up(int value, int by) { return (value + by - 1) / by; }

__host__ __device__ constexpr bool is_matrix(ConvolutionKind kind) {
  return kind == ConvolutionKind::pointwise || kind == ConvolutionKind::transposed;
}

/// Holds the addresses of the kCount rows of the matrix that a thread loads. Each row is the window
/// of a pixel. From one of these rows to the next are kApart rows of the matrix.
template <ConvolutionKind kKind, int kCount, int kApart>
class Rows {
 public:
  __device__ __forceinline__ Rows(const ConvolutionArguments& a, int first) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int row = first + i * kApart;
      valid_[i] = row < a.rows;
      const int oy = row / a.row_width;
      y_[i] = oy * a.window.stride_y - a.window.top;
      x_[i] = (row - oy * a.row_width) * a.window.stride_x - a.window.left;
      // Rows of an image begin with a black pixel, so that a chunk of two pixels is always aligned.
      base_[i] =
          kKind == ConvolutionKind::stem
              ? a.input + (static_cast<long long>(y_[i]) * (a.input_width + 2) + x_[i] + 1) * 4
              : a.input + (static_cast<long long>(y_[i]) * a.input_width + x_[i]) * a.input_pitch;
    }
  }

  /// Calls load(i, from, valid) for a chunk of each row i. A chunk that isn't valid counts as
  /// zeros.
  template <class Load>
  __device__ __forceinline__ void load(const ConvolutionArguments& a, int chunk,
                                       const Load& load) const {
    int y = 0;
    int x = 0;
    long long offset = 0;
    if constexpr (kKind == ConvolutionKind::stem) {
      y = chunk / 2;
      offset = static_cast<long long>(y) * (a.input_width + 2) * 4 + chunk % 2 * kTileChunk;
    } else {
      const int tap = chunk / a.tap_chunks;
      y = tap / a.window.kernel_width;
      x = tap - y * a.window.kernel_width;
      offset = (static_cast<long long>(y) * a.input_width + x) * a.input_pitch +
               (chunk - tap * a.tap_chunks) * kTileChunk;
    }
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      bool valid = valid_[i] && chunk < a.chunks &&
                   static_cast<unsigned>(y_[i] + y) < static_cast<unsigned>(a.input_height);
      if constexpr (kKind == ConvolutionKind::window)
        valid = valid && static_cast<unsigned>(x_[i] + x) < static_cast<unsigned>(a.input_width);
      load(i, valid ? base_[i] + offset : a.input, valid);
    }
  }

 private:
  const __half* base_[kCount];
  int y_[kCount];
  int x_[kCount];
  bool valid_[kCount];
};

/// Holds the same addresses for a matrix that is the input map itself.
template <int kCount, int kApart>
class MatrixRows {
 public:
  __device__ __forceinline__ MatrixRows(const ConvolutionArguments& a, int first)
      : base_(a.input + static_cast<long long>(first) * a.input_pitch), left_(a.rows - first) {}

  template <class Load>
  __device__ __forceinline__ void load(const ConvolutionArguments& a, int chunk,
                                       const Load& load) const {
    const bool inside = chunk < a.chunks;
    const __half* const from = base_ + chunk * kTileChunk;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const bool valid = inside && i * kApart < left_;
      load(i, valid ? from + static_cast<long long>(i * kApart) * a.input_pitch : a.input, valid);
    }
  }

 private:
  const __half* base_;
  int left_;
};

template <ConvolutionKind kKind, bool kF32, int kRows, int kColumns, int kStep>
struct Tile {
  static constexpr int kTileRows = tile_rows(kRows);
  static constexpr int kTileColumns = 8 * kColumns;
  static constexpr int kPitch = pitch_of(kStep);
  static constexpr int kStepChunks = kStep / kTileChunk;
  static constexpr int kApart = kTileThreads / kStepChunks;  // distance of a thread's rows
  static constexpr int kStageHalves = stage_halves(kRows, kColumns, kStep);
  static constexpr int kPairs = (kColumns + 1) / 2;
  using Source = std::conditional_t<is_matrix(kKind), MatrixRows<kTileRows / kApart, kApart>,
                                    Rows<kKind, kTileRows / kApart, kApart>>;

  const ConvolutionArguments& a;
  int first_row;
  int first_column;
  std::uint32_t shared;
  float sums[kRows][kColumns][4];

  static __device__ __forceinline__ int lane() { return static_cast<int>(threadIdx.x) % 32; }
  static __device__ __forceinline__ int warp() { return static_cast<int>(threadIdx.x) / 32; }
  static __device__ __forceinline__ int lane_chunk() {
    return static_cast<int>(threadIdx.x) % kStepChunks;
  }
  static __device__ __forceinline__ int lane_row() {
    return static_cast<int>(threadIdx.x) / kStepChunks;
  }

  __device__ __forceinline__ void start_with_bias() {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const int column = first_column + 8 * c + lane() % 4 * 2;
      const float2 bias = __ldg(reinterpret_cast<const float2*>(a.bias + column));
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        sums[r][c][0] = sums[r][c][2] = bias.x;
        sums[r][c][1] = sums[r][c][3] = bias.y;
      }
    }
  }

  __device__ __forceinline__ void load(const Source& source, int step, int stage) const {
    const std::uint32_t to =
        shared + 2U * static_cast<unsigned>(stage * kStageHalves + lane_row() * kPitch +
                                            lane_chunk() * kTileChunk);
    source.load(a, step * kStepChunks + lane_chunk(), [&](int i, const __half* from, bool valid) {
      copy_async<!is_matrix(kKind)>(to + 2U * static_cast<unsigned>(i * kApart * kPitch), from,
                                    valid);
    });
    // Weights are padded to whole tiles and steps, so all of their chunks are valid.
    const int padded = divide_up(a.chunks, kStepChunks) * kStep;
    const __half* const weights = a.weights +
                                  static_cast<long long>(first_column + lane_row()) * padded +
                                  step * kStep + lane_chunk() * kTileChunk;
#pragma unroll
    for (int column = 0; column < kTileColumns; column += kApart)
      if (kTileColumns % kApart == 0 || column + lane_row() < kTileColumns)
        copy_async<true>(to + 2U * static_cast<unsigned>((kTileRows + column) * kPitch),
                         weights + column * padded, true);
  }

  __device__ __forceinline__ void multiply(int stage, int parts) {
    const std::uint32_t base = shared + 2U * static_cast<unsigned>(stage * kStageHalves);
    const std::uint32_t a_base =
        base +
        2U * static_cast<unsigned>((warp() * 16 * kRows + lane() % 16) * kPitch + lane() / 16 * 8);
    const std::uint32_t b_base =
        base + 2U * static_cast<unsigned>((kTileRows + lane() / 16 * 8 + lane() % 8) * kPitch +
                                          lane() / 8 % 2 * 8);
#pragma unroll
    for (int part = 0; part < kStep / 16; ++part) {
      if (part >= parts) break;
      std::uint32_t pixels[kRows][4];
#pragma unroll
      for (int r = 0; r < kRows; ++r)
        load_matrices(pixels[r], a_base + 2U * static_cast<unsigned>(r * 16 * kPitch + part * 16));
#pragma unroll
      for (int pair = 0; pair < kPairs; ++pair) {
        std::uint32_t weights[4];
        load_matrices(weights, b_base + 2U * static_cast<unsigned>(pair * 16 * kPitch + part * 16));
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          multiply_add(sums[r][2 * pair], pixels[r], weights[0], weights[1]);
          if constexpr (kColumns % 2 == 0)
            multiply_add(sums[r][2 * pair + 1], pixels[r], weights[2], weights[3]);
          else if (pair + 1 < kPairs)
            multiply_add(sums[r][2 * pair + 1 < kColumns ? 2 * pair + 1 : 0], pixels[r], weights[2],
                         weights[3]);
        }
      }
    }
  }

  /// Calls put(row, column, x, y) for each pair of neighbouring columns whose sums this thread
  /// holds.
  template <class Put>
  __device__ __forceinline__ void results(const Put& put) const {
#pragma unroll
    for (int r = 0; r < kRows; ++r)
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int c = 0; c < kColumns; ++c)
          put((warp() * kRows + r) * 16 + lane() / 4 + 8 * half, 8 * c + lane() % 4 * 2,
              sums[r][c][2 * half], sums[r][c][2 * half + 1]);
  }

  __device__ __forceinline__ void store_floats() const {
    results([&](int row, int column, float x, float y) {
      if (first_row + row >= a.rows || first_column + column >= a.columns) return;
      const long long pixel = first_row + row;
      column += first_column;
      float2 value{activated(x, a.activation), activated(y, a.activation)};
      if (a.residual.values != nullptr) {
        const float2 add = __half22float2(*reinterpret_cast<const __half2*>(
            a.residual.values + pixel * a.residual.pitch + column));
        value = {value.x + add.x, value.y + add.y};
      }
      *reinterpret_cast<float2*>(static_cast<float*>(a.output) + pixel * a.output_pitch + column) =
          value;
    });
  }

  /// Returns the output pixel (x) and the output channel (y) of an element of the product.
  __device__ __forceinline__ int2 place_of(int row, int column) const {
    if constexpr (kKind != ConvolutionKind::transposed) {
      return {row, column};
    } else {
      const int channels = a.columns / 4;
      const int sub = column / channels;
      const int y = row / a.row_width;
      const int x = row - y * a.row_width;
      return {(2 * y + sub / 2) * (2 * a.row_width) + 2 * x + sub % 2, column - sub * channels};
    }
  }

  /// Stores results through shared memory. So whole sectors of global memory are written (and read,
  /// if there is a residual).
  __device__ __forceinline__ void store_halves(__half* staged) const {
    constexpr int kStagedPitch = kTileColumns + kTileChunk;
    __syncthreads();
    results([&](int row, int column, float x, float y) {
      *reinterpret_cast<__half2*>(staged + row * kStagedPitch + column) =
          activated_half2(x, y, a.activation);
    });
    __syncthreads();
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < kTileRows * kColumns; i += kTileThreads) {
      const int row = i / kColumns;
      const int column = i % kColumns * kTileChunk;
      if (first_row + row >= a.rows || first_column + column >= a.columns) continue;
      const int2 place = place_of(first_row + row, first_column + column);
      Halves8 value = *reinterpret_cast<const Halves8*>(staged + row * kStagedPitch + column);
      if (a.residual.values != nullptr)
        value =
            sum(value, read_halves(a.residual.values +
                                   static_cast<long long>(place.x) * a.residual.pitch + place.y));
      *reinterpret_cast<Halves8*>(static_cast<__half*>(a.output) +
                                  static_cast<long long>(place.x) * a.output_pitch + place.y) =
          value;
    }
  }
};

}  // namespace facepipe::detector::engine
