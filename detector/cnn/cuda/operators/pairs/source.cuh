// Loads rows of a map into shared memory, and stores results. Kernels call this.
#pragma once

#include <type_traits>

#include "detector/cnn/cuda/operators/pairs/pairs.h"
#include "detector/cnn/cuda/operators/pairs/warp.cuh"
#include "detector/cnn/cuda/operators/tensor_core.cuh"

namespace facepipe::detector::engine {

/// Copies one thread's part of a tile's rows, row after row. If kCoarser is 1, the copied map has
/// half the width and half the height of the tile's map, and each of its pixels is repeated in both
/// directions. If kCoarser is 0, both maps have the same size.
template <int kSteps, int kCoarser>
class RowSource {
  using Row = StripRow<kSteps>;

 public:
  /// `width` is the width of the tile's map. (first_x, first_y) is the first pixel of the strip.
  /// `threads` threads copy a row together.
  __device__ __forceinline__ RowSource(const __half* map, int pitch, int width, int first_x,
                                       int first_y, int thread, int threads)
      : pixels_(threads / Row::kChunks),
        first_pixel_(thread / Row::kChunks),
        count_((kWarpPixels - 1 - first_pixel_) / pixels_ + 1),
        offset_(Row::offset(first_pixel_, thread % Row::kChunks)),
        row_pitch_((width >> kCoarser) * pitch),
        chunk_pitch_((pixels_ >> kCoarser) * pitch) {
    const int chunk = thread % Row::kChunks;
    if (first_pixel_ >= kWarpPixels) count_ = 0;
    from_ = map + static_cast<long long>(first_y >> kCoarser) * row_pitch_ +
            ((first_x + first_pixel_) >> kCoarser) * pitch + chunk * 8;
    for (int i = 0; i < count_; ++i) {
      const int x = first_x + first_pixel_ + i * pixels_;
      if (chunk * 8 < pitch && static_cast<unsigned>(x) < static_cast<unsigned>(width))
        valid_ |= 1U << i;
    }
  }

  /// Starts to copy the next row, whose number must be `y`, to `stage`. Pixels outside of the map
  /// become zeros.
  __device__ __forceinline__ void bring(int y, int height, std::uint32_t stage) {
    unsigned valid = static_cast<unsigned>(y) < static_cast<unsigned>(height) ? valid_ : 0;
    const __half* from = from_;
    std::uint32_t to = stage + offset_;
#pragma unroll 1
    for (int i = 0; i < count_; ++i) {
      copy_async<kCoarser != 0>(to, from, (valid & 1) != 0);
      valid >>= 1;
      from += chunk_pitch_;
      // With 16 chunks per pixel, the distance of two of the thread's chunks may not be a multiple
      // of four pixels.
      const int pixel = first_pixel_ + i * pixels_;
      to += kSteps == 8 ? Row::offset(pixel + pixels_, 0) - Row::offset(pixel, 0)
                        : static_cast<std::uint32_t>(pixels_ / 4 * Row::kPixelBytes);
    }
    if (kCoarser == 0 || y % 2 != 0) from_ += row_pitch_;
  }

 private:
  int pixels_;  // number of pixels from one of the thread's chunks to the next in a row
  int first_pixel_;
  int count_;  // number of the thread's chunks in a row
  std::uint32_t offset_;
  int row_pitch_;
  int chunk_pitch_;
  const __half* from_;
  unsigned valid_ = 0;  // a bit for each chunk
};

/// Stores a lane's results, row after row.
template <class Two>
class RowSink {
  using Math = Arithmetic<Two>;
  using Element = typename Math::Element;

 public:
  /// `first_x` is the column of the lane's first pixel.
  __device__ __forceinline__ RowSink(const PairMap& map, int first_x, int first_y, int lane,
                                     int channel)
      : to_(static_cast<std::byte*>(map.output) +
            ((static_cast<long long>(first_y) * map.width + first_x) * map.output_pitch + channel) *
                static_cast<int>(sizeof(Element))),
        pixel_bytes_(static_cast<unsigned>(map.output_pitch) * sizeof(Element)),
        row_bytes_(static_cast<unsigned>(map.width) * pixel_bytes_) {
    if (channel >= map.output_pitch) return;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int pixel = lane / 4 * 4 + j;
      if (pixel > 0 && pixel < kWarpPixels - 1 && first_x + j < map.width) writes_ |= 1U << j;
    }
  }

  __device__ __forceinline__ void put(int, const LaneRow<Two>& row) {
#pragma unroll
    for (unsigned j = 0; j < 4; ++j)
      if ((writes_ >> j & 1) != 0)
        Math::store(reinterpret_cast<Element*>(to_ + j * pixel_bytes_), row[0][j], row[1][j]);
    to_ += row_bytes_;
  }

 private:
  std::byte* to_;  // the lane's first pixel in the next row
  unsigned pixel_bytes_;
  unsigned row_bytes_;
  unsigned writes_ = 0;  // a bit for each of the lane's pixels that is stored
};

/// Stores a lane's maxima over 2x2 pixels.
class PooledSink {
  using Math = Arithmetic<__half2>;

 public:
  /// The arguments are those of RowSink. `first_y` must be even.
  __device__ __forceinline__ PooledSink(const PairMap& map, int first_x, int first_y, int lane,
                                        int channel)
      : pitch_(map.pooled_pitch), row_pitch_(map.width / 2 * map.pooled_pitch) {
    // The first column of a strip lies one pixel before a pooling window. So the lane has two
    // windows: its pixels 1 and 2, and its pixel 3 with the first pixel of the next lane group.
    const int x = (first_x + 1) / 2;
    to_ =
        map.pooled + (static_cast<long long>(first_y / 2) * (map.width / 2) + x) * pitch_ + channel;
    if (channel >= pitch_) return;
    if (x < map.width / 2) writes_ |= 1;
    if (x + 1 < map.width / 2 && lane / 4 < kWarpPixels / 4 - 1) writes_ |= 2;
  }

  __device__ __forceinline__ void put(int y, const LaneRow<__half2>& row) {
    if (y % 2 != 0) {
      put_odd(row);
      return;
    }
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
      for (int j = 0; j < 4; ++j) even_[n][j] = row[n][j];
  }

 private:
  __device__ __forceinline__ void put_odd(const LaneRow<__half2>& row) {
    __half2 most[2][2];  // [window][pair of channels]
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      __half2 columns[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) columns[j] = __hmax2(even_[n][j], row[n][j]);
      most[0][n] = __hmax2(columns[1], columns[2]);
      most[1][n] = __hmax2(columns[3], Math::neighbour_after(columns[0]));
    }
    if ((writes_ & 1) != 0) Math::store(to_, most[0][0], most[0][1]);
    if ((writes_ & 2) != 0) Math::store(to_ + pitch_, most[1][0], most[1][1]);
    to_ += row_pitch_;
  }

  __half* to_;
  int pitch_;
  int row_pitch_;
  unsigned writes_ = 0;
  LaneRow<__half2> even_;
};

/// Stores nothing. It replaces the sink of results that a kernel doesn't have.
struct NoSink {
  __device__ __forceinline__ NoSink(const PairMap&, int, int, int, int) {}
  template <class Row>
  __device__ __forceinline__ void put(int, const Row&) {}
};
template <bool kWanted, class Sink>
using SinkIf = std::conditional_t<kWanted, Sink, NoSink>;

}  // namespace facepipe::detector::engine
