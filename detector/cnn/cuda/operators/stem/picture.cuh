// Converts the part of the picture that a thread block of the stem reads to halves, and stores them
// in shared memory. A pixel is three halves. So a row of a 3x3 window is nine halves, which begin
// at a whole word.
#pragma once

#include "detector/cnn/cuda/operators/half_math.cuh"
#include "detector/cnn/cuda/operators/stem/stem.h"
#include "detector/cnn/cuda/picture.cuh"

namespace facepipe::detector::engine {

inline constexpr int kStemWarps = 4;   // number of warps of a thread block
inline constexpr int kStemStrip = 32;  // number of columns of a warp
inline constexpr int kStemPixels = 2 * kStemStrip + 1;
/// Number of words from one row to the next. It is one more than a multiple of four, so that the
/// words of a fragment lie in different banks.
inline constexpr int kStemPitch = 101;  // in words
/// Number of halves of a row that windows read. The row's pixels have fewer halves.
inline constexpr int kStemRowHalves = 2 * (3 * kStemStrip + 3);
static_assert(kStemRowHalves >= 3 * kStemPixels && kStemRowHalves <= 2 * kStemPitch);

/// Holds the block's part of the picture in shared memory: kRows (odd) rows of kStemPixels pixels.
template <int kRows>
struct StemPicture {
  const StemArguments& a;
  std::uint32_t* words;
  int left;  ///< first column of this part in the input; odd
  int top;   ///< first row of this part in the input; odd

  /// Converts the pixels. All threads of the block must call it; there must be at least kRows
  /// threads.
  __device__ __forceinline__ void fill() const {
    clear_ends();
    if (a.frame == nullptr)
      fill_pixels([this](int x, int y) { return prepared(x, y); });
    else if (!a.picture.upright)
      fill_turned();
    else if (a.picture.wide != 0)
      fill_cells<std::uint16_t>();
    else
      fill_cells<std::uint8_t>();
  }

 private:
  __device__ __forceinline__ __half* row(int r) const {
    return reinterpret_cast<__half*>(words + r * kStemPitch);
  }

  /// Sets the halves after the last pixel to zero, because windows read them. Their weight is zero,
  /// but they must not be NaN.
  __device__ __forceinline__ void clear_ends() const {
    constexpr int kEnd = 3 * kStemPixels;
    if (threadIdx.x < kRows)
#pragma unroll
      for (int i = kEnd; i < kStemRowHalves; ++i)
        row(static_cast<int>(threadIdx.x))[i] = __ushort_as_half(0);
  }

  /// Converts pixel by pixel. pixel(x, y) must return four halves: red, green, blue and any value.
  template <class Pixel>
  __device__ __forceinline__ void fill_pixels(const Pixel& pixel) const {
    for (int i = static_cast<int>(threadIdx.x); i < kRows * kStemPixels;
         i += static_cast<int>(blockDim.x)) {
      const int r = i / kStemPixels;
      const int column = i - r * kStemPixels;
      write_pixel(r, column, pixel(left + column, top + r));
    }
  }

  __device__ __forceinline__ void write_pixel(int r, int column, const uint2& halves) const {
    __half* const to = row(r) + 3 * column;
    to[0] = __low2half(as_half2(halves.x));
    to[1] = __high2half(as_half2(halves.x));
    to[2] = __low2half(as_half2(halves.y));
  }

  __device__ __forceinline__ uint2 prepared(int x, int y) const {
    if (x < 0 || y < 0 || x >= a.input_width || y >= a.input_height) return {0, 0};
    const int row_pixels = a.input_width + 2 * a.image_left;
    const long long pixel = static_cast<long long>(y) * row_pixels + a.image_left + x;
    return __ldg(reinterpret_cast<const uint2*>(a.image + pixel * a.image_pitch));
  }

  __device__ __forceinline__ uint2 pixel_of(const FrameDescriptor& frame, int x, int y) const {
    if (!in_content(a.picture, x, y)) return {0, 0};
    const int2 place = stored_pixel(x, y, a.picture);
    const Color color = color_at(frame, a.picture, place.x, place.y);
    return {bits_of(__floats2half2_rn(color.r, color.g)),
            bits_of(__floats2half2_rn(color.b, 0.0F))};
  }

  __device__ __forceinline__ void fill_turned() const {
    const FrameDescriptor frame = *a.frame;
    fill_pixels([&](int x, int y) { return pixel_of(frame, x, y); });
  }

  /// Holds the samples of a chroma cell: 2x2 pixels that share their chroma.
  struct Cell {
    float luma[2][2];
    float u;
    float v;
  };

  /// Reads the cell whose first pixel is (x, y); x and y must be even. If this cell is outside of
  /// the picture, reads the nearest cell instead. If the last cell of an odd-sized picture lacks
  /// pixels, the last pixel is repeated.
  template <class Sample>
  __device__ __forceinline__ Cell read_cell(const FrameDescriptor& frame, int x, int y) const {
    const Size content = a.picture.content;
    const int cx = min(max(x, 0), content.width - 1) / 2;
    const int cy = min(max(y, 0), content.height - 1) / 2;
    const int right = min(2 * cx + 1, content.width - 1);
    const int below = min(2 * cy + 1, content.height - 1);
    const auto at = [&](const std::byte* plane, int stride, int line, int i) {
      const unsigned code =
          __ldg(reinterpret_cast<const Sample*>(plane + static_cast<long long>(line) * stride) + i);
      return static_cast<float>(sizeof(Sample) == 1 ? code : code >> a.picture.shift);
    };
    const int luma = frame.luma_stride;
    const int chroma = frame.chroma_stride;
    return {{{at(frame.luma, luma, 2 * cy, 2 * cx), at(frame.luma, luma, 2 * cy, right)},
             {at(frame.luma, luma, below, 2 * cx), at(frame.luma, luma, below, right)}},
            at(frame.chroma, chroma, cy, 2 * cx),
            at(frame.chroma, chroma, cy, 2 * cx + 1)};
  }

  // If kCarrier is added to a colour's value, the value is rounded to a whole number, as by
  // as_byte(). The lower 16 bits of the resulting float are the bits of the half 1024 + kBelow +
  // value. This is true for values in -kBelow..1023 - kBelow. The results of to_rgb are in this
  // range before they are clamped. kBelow must be even.
  static constexpr int kBelow = 376;
  static constexpr float kCarrier = 8388608.0F + 0x6400 + kBelow;

  /// Rounds two values, clamps them to 0..255, and returns them as halves.
  static __device__ __forceinline__ std::uint32_t pair_of(float x, float y) {
    const std::uint32_t carried = __byte_perm(__float_as_uint(__fadd_rn(x, kCarrier)),
                                              __float_as_uint(__fadd_rn(y, kCarrier)), 0x5410);
    const __half2 one = __float2half2_rn(1.0F);
    return bits_of(
        __hmin2(multiply_add_relu(as_half2(carried), one, __float2half2_rn(-1024.0F - kBelow)),
                __float2half2_rn(255.0F)));
  }

  /// Writes two neighbouring pixels, which are the columns 2k - 1 and 2k of a row. `first` and
  /// `second` are masks for these pixels: all ones if the pixel is inside of the picture, and 0 to
  /// make it black.
  __device__ __forceinline__ void write_pair(const FrameDescriptor& frame, const float (&luma)[2],
                                             const Color& chroma, int tile_row, int k,
                                             std::uint32_t first, std::uint32_t second) const {
    const auto value = [&](int c, int pixel, float part) {
      return fmaf(frame.to_rgb[c][0], luma[pixel], part);
    };
    // Red of the first pixel and blue of the second pixel share words with other pixels. So each of
    // them is stored as a half.
    const std::uint32_t outer = pair_of(value(0, 0, chroma.r), value(2, 1, chroma.b));
    const std::uint32_t first_rest = pair_of(value(1, 0, chroma.g), value(2, 0, chroma.b));
    const std::uint32_t second_rest = pair_of(value(0, 1, chroma.r), value(1, 1, chroma.g));
    __half* const to = row(tile_row) + 6 * k;
    to[-3] = __low2half(as_half2(outer & first));
    *reinterpret_cast<std::uint32_t*>(to - 2) = first_rest & first;
    *reinterpret_cast<std::uint32_t*>(to) = second_rest & second;
    to[2] = __high2half(as_half2(outer & second));
  }

  __device__ __forceinline__ static Color chroma_of(const FrameDescriptor& frame,
                                                    const Cell& cell) {
    const auto part = [&](int c) {
      const float* const m = frame.to_rgb[c];
      return fmaf(m[1], cell.u, fmaf(m[2], cell.v, m[3]));
    };
    return {part(0), part(1), part(2)};
  }

  /// Converts a picture that is neither turned nor mirrored, cell by cell. Cells begin at even rows
  /// and columns, but the block's part begins at an odd row and an odd column. So it contains only
  /// the second column of pixels of its first column of cells. The block's first threads convert
  /// these pixels one by one. Likewise, it contains only the second row of pixels of its first row
  /// of cells.
  template <class Sample>
  __device__ __forceinline__ void fill_cells() const {
    constexpr int kCellRows = (kRows + 1) / 2;
    constexpr int kEach = (kCellRows + kStemWarps - 1) / kStemWarps;  // cell rows of a warp
    const FrameDescriptor frame = *a.frame;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int x = left + 1 + 2 * lane;
    // all cells are loaded before any is used, so that all loads are in flight together
    Cell cells[kEach];
#pragma unroll
    for (int i = 0; i < kEach; ++i)
      cells[i] = read_cell<Sample>(frame, x, top - 1 + 2 * (warp + i * kStemWarps));
    if (threadIdx.x < kRows)
      write_pixel(static_cast<int>(threadIdx.x), 0,
                  pixel_of(frame, left, top + static_cast<int>(threadIdx.x)));
    const std::uint32_t first = x >= 0 && x < a.picture.content.width ? ~0U : 0U;
    const std::uint32_t second = x >= 0 && x + 1 < a.picture.content.width ? ~0U : 0U;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int r = warp + i * kStemWarps;
      if (r >= kCellRows) break;
      const Color chroma = chroma_of(frame, cells[i]);
#pragma unroll
      for (int below = 0; below < 2; ++below) {
        const int tile_row = 2 * r - 1 + below;
        if (tile_row < 0) continue;
        const bool inside = top + tile_row >= 0 && top + tile_row < a.picture.content.height;
        write_pair(frame, cells[i].luma[below], chroma, tile_row, lane + 1, inside ? first : 0U,
                   inside ? second : 0U);
      }
    }
  }
};

}  // namespace facepipe::detector::engine
