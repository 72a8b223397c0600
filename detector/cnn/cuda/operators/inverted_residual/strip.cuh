// Describes the strip of input pixels of a thread block, and loads it into shared memory.
//
// The pixels of a row are permuted in shared memory: pixel p is at position p % 4 * 8 + p / 4. Then
// the four rows of the strip's fragments that a lane holds (fragments.cuh) are the pixels 4g, 4g +
// 1, 4g + 2 and 4g + 3. So a lane has four neighbouring pixels of two channels. Lane l - 4 has the
// pixel before these, and lane l + 4 has the pixel after them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detector/cnn/cuda/operators/inverted_residual/inverted_residual.h"
#include "detector/cnn/cuda/operators/tensor_core.cuh"

namespace facepipe::detector::engine {

inline constexpr int kStripWidth = 32;
inline constexpr int kStripInputs = 4;  ///< number of pixels of a row that a lane holds
inline constexpr int kTaps = 9;
inline constexpr int kDepthwiseChunks = 6;         ///< number of weight chunks of a group for one t
inline constexpr int kLargestHalves = 0x7bff7bff;  ///< two halves of 65504, the largest half

/// Returns the number of bytes from one pixel to the next in shared memory. It is an odd number of
/// chunks, so that the eight rows that ldmatrix reads at a time lie in different banks.
__host__ __device__ constexpr int strip_pitch(int chunks) {
  return (chunks % 2 == 0 ? chunks + 1 : chunks) * 16;
}
__host__ __device__ constexpr int strip_rows(int stride, int output_rows) {
  return stride * (output_rows - 1) + 3;
}
/// Returns the number of tiles of 16 pixels in a row of a strip's results.
__host__ __device__ constexpr int pixel_tiles_of_row(int stride) { return 2 / stride; }

/// Describes the work of a block: the position of its strip, and its expanded groups.
template <int kChunks, int kStride>
struct BlockWork {
  int first_row;     ///< first row of the output
  int first_column;  ///< column of the input that is pixel 0 of the strip
  int rows;          ///< number of output rows
  int first_group;
  int expanded_groups;

  __device__ BlockWork(const InvertedResidualArguments& a, int rows_of_block)
      : first_row(static_cast<int>(blockIdx.y) * rows_of_block),
        first_column(static_cast<int>(blockIdx.x) * kStripPixels - 1),
        rows(rows_of_block),
        first_group(a.expanded_groups * static_cast<int>(blockIdx.z) / static_cast<int>(gridDim.z)),
        expanded_groups(a.expanded_groups * static_cast<int>(blockIdx.z + 1) /
                            static_cast<int>(gridDim.z) -
                        first_group) {}

  [[nodiscard]] __device__ int first_input_row() const { return kStride * first_row - 1; }
  [[nodiscard]] __device__ int input_rows() const { return strip_rows(kStride, rows); }
  [[nodiscard]] __device__ int pixel_tiles() const { return rows * pixel_tiles_of_row(kStride); }
};

/// Starts to copy the strip to shared memory. Each thread copies the same chunk of each row.
/// Outside of the picture, the strip is zeros.
template <int kChunks, int kStride>
__device__ __forceinline__ void load_strip(const InvertedResidualArguments& a,
                                           const BlockWork<kChunks, kStride>& work,
                                           std::uint32_t to) {
  constexpr int kPitch = strip_pitch(kChunks);
  const std::ptrdiff_t row_halves = static_cast<std::ptrdiff_t>(a.input_width) * a.input_pitch;
  for (int i = static_cast<int>(threadIdx.x); i < kStripWidth * kChunks;
       i += static_cast<int>(blockDim.x)) {
    const int chunk = i % kChunks;
    const int pixel = i / kChunks;
    const int x = work.first_column + pixel;
    const bool inside = x >= 0 && x < a.input_width && chunk < a.input_chunks;
    int y = work.first_input_row();
    const __half* from = a.input + y * row_halves + x * a.input_pitch + chunk * 8;
    const int position = pixel % kStripInputs * 8 + pixel / kStripInputs;
    std::uint32_t at = to + position * kPitch + chunk * 16;
    for (int row = 0; row < work.input_rows(); ++row) {
      const bool valid = inside && y >= 0 && y < a.input_height;
      copy_async<false>(at, valid ? from : a.input, valid);
      ++y;
      from += row_halves;
      at += kStripWidth * kPitch;
    }
  }
}

/// Starts to copy `count` chunks. All threads of the block must call it.
__device__ __forceinline__ void load_chunks(const uint4* from, uint4* to, int count) {
  const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
    copy_async<false>(at + i * 16, from + i, true);
}

}  // namespace facepipe::detector::engine
