// A thread block's strip of pixels in inverted_residual.h, and its way into shared memory.
//
// Pixels lie there in an order of which every eighth is a neighbour: pixel p at place
// p % 4 * 8 + p / 4. Rows g of the strip's fragments (fragments.cuh) are then pixels 4g, 4g + 1,
// 4g + 2 and 4g + 3: a lane has four neighbouring pixels of two channels, and the lanes 4 before
// and behind have those beside them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detector/cnn/cuda/operators/inverted_residual/inverted_residual.h"
#include "detector/cnn/cuda/operators/tensor_core.cuh"

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

}  // namespace facepipe::engine
