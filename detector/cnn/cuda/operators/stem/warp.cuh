// Reads windows from shared memory, and stores results. A warp of the stem calls this.
#pragma once

#include "detector/cnn/cuda/operators/half_math.cuh"
#include "detector/cnn/cuda/operators/stem/picture.cuh"
#include "detector/cnn/cuda/operators/stem/stem.h"

namespace facepipe::detector::engine {

/// A lane holds the results of this many neighbouring pixels of a row. Lane 4g + t (t = 0..3) has
/// the pixels 4g..4g+3; t selects its channels.
inline constexpr int kStemLanePixels = 4;
/// Number of steps of 16 k. A window has three rows of ten values, and is padded to 32 values.
inline constexpr int kStemSums = 2;

__device__ __forceinline__ int stem_lane() { return static_cast<int>(threadIdx.x) % 32; }

/// Loads the windows of a row of pixels as operand A of the tensor cores. There are two matrices:
/// row g of matrix i is the window of pixel 4g + 2i, and row g + 8 is the window of pixel 4g + 2i +
/// 1.
struct StemWindows {
  const std::uint32_t* words[2 * kStemSums];

  /// Computes the addresses of the windows of a strip, whose first window begins at `strip`.
  __device__ __forceinline__ explicit StemWindows(const std::uint32_t* strip) {
    constexpr int kRowWords = 5;
    const int t = stem_lane() % 4;
#pragma unroll
    for (int i = 0; i < 2 * kStemSums; ++i) {
      const int word = 4 * i + t;
      // The weights of the last word are zero, so the word may have any value. This word is in a
      // bank that no other lane reads.
      const int row = word == 15 ? 2 : word / kRowWords;
      words[i] =
          strip + row * kStemPitch + word - row * kRowWords + stem_lane() / 4 * 3 * kStemLanePixels;
    }
  }

  /// Loads matrix i for a row of pixels.
  __device__ __forceinline__ void load(std::uint32_t (&to)[kStemSums][4], int row, int i) const {
    const int offset = row * 2 * kStemPitch + i * 6;
#pragma unroll
    for (int s = 0; s < kStemSums; ++s) {
      to[s][0] = words[2 * s][offset];
      to[s][1] = words[2 * s][offset + 3];
      to[s][2] = words[2 * s + 1][offset];
      to[s][3] = words[2 * s + 1][offset + 3];
    }
  }
};

/// Stores a lane's results: four channels of its four pixels of a row. All lanes together store 16
/// channels at a time.
struct StemResults {
  __half* to;  ///< the lane's first channel of its first pixel in the first row
  int pitch;
  long long row_pitch;
  int channels;          ///< number of channels of a pixel, beginning with the lane's first channel
  std::uint32_t pixels;  ///< a bit for each of the lane's pixels that is stored
  __half2 least;

  /// Stores the pixels first_pixel..end_pixel - 1 of the strip, if they lie in the map.
  __device__ __forceinline__ StemResults(const StemArguments& a, int x, int y, int first_pixel,
                                         int end_pixel)
      : pitch(a.output_pitch),
        row_pitch(static_cast<long long>(a.output_width) * a.output_pitch),
        channels(a.output_pitch - stem_lane() % 4 * 4),
        pixels(0),
        least(a.relu ? __float2half2_rn(0.0F) : __float2half2_rn(-65504.0F)) {
    to = a.output + y * row_pitch + static_cast<long long>(x) * pitch + stem_lane() % 4 * 4;
#pragma unroll
    for (int p = 0; p < kStemLanePixels; ++p) {
      const int pixel = stem_lane() / 4 * kStemLanePixels + p;
      if (pixel >= first_pixel && pixel < end_pixel && x + p >= 0 && x + p < a.output_width)
        pixels |= 1U << p;
    }
  }

  __device__ __forceinline__ std::uint32_t pack(float x, float y) const {
    return bits_of(__hmin2(__hmax2(__floats2half2_rn(x, y), least), __float2half2_rn(65504.0F)));
  }

  /// Stores the sums of both column tiles, for matrix i.
  __device__ __forceinline__ void store(int row, int first_channel, int i, const float (&even)[4],
                                        const float (&odd)[4]) const {
    __half* const at = to + row * row_pitch + first_channel;
    if (first_channel >= channels) return;
#pragma unroll
    for (int half = 0; half < 2; ++half)
      if ((pixels & (1U << (2 * i + half))) != 0)
        *reinterpret_cast<uint2*>(at + (2 * i + half) * pitch) = {
            pack(even[2 * half], even[2 * half + 1]), pack(odd[2 * half], odd[2 * half + 1])};
  }
};

}  // namespace facepipe::detector::engine
