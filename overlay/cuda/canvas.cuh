// Declares Canvas, with which the overlay's kernels write one chroma cell (2 x 2 pixels) of the
// picture at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overlay/cuda/kernels.h"

namespace facepipe::overlay {

template <class Sample>
struct alignas(2 * sizeof(Sample)) Pair {
  Sample first;
  Sample second;
};

/// Refers to the picture that the frame descriptor names, and to its layout.
template <class Sample>
struct Canvas {
  Sample* luma;
  Sample* chroma;
  std::int32_t luma_stride;    // in samples
  std::int32_t chroma_stride;  // in samples
  const FrameDescriptor* descriptor;
  const OverlayLayout* layout;
  bool paired;  // two neighbouring samples of either plane can be written as one word

  __device__ explicit Canvas(const OverlayWork& work) : descriptor(work.descriptor) {
    luma = reinterpret_cast<Sample*>(descriptor->luma);
    chroma = reinterpret_cast<Sample*>(descriptor->chroma);
    luma_stride = descriptor->luma_stride / static_cast<std::int32_t>(sizeof(Sample));
    chroma_stride = descriptor->chroma_stride / static_cast<std::int32_t>(sizeof(Sample));
    layout = &work.layouts[descriptor->interlaced != 0 ? 1 : 0];
    paired = (reinterpret_cast<std::uintptr_t>(luma) | reinterpret_cast<std::uintptr_t>(chroma) |
              static_cast<std::uintptr_t>(descriptor->luma_stride) |
              static_cast<std::uintptr_t>(descriptor->chroma_stride)) %
                 sizeof(Pair<Sample>) ==
             0;
  }
  __device__ Sample color(OverlayColor which, int component) const {
    return static_cast<Sample>(descriptor->overlay_colors[static_cast<int>(which)][component]);
  }
  __device__ Sample& luma_at(int x, int y) const {
    return luma[static_cast<std::ptrdiff_t>(y) * luma_stride + x];
  }
  /// Writes two neighbouring samples; the first sample is at an even column.
  __device__ void set_pair(Sample* to, Sample first, Sample second) const {
    if (paired) {
      *reinterpret_cast<Pair<Sample>*>(to) = {first, second};
    } else {
      to[0] = first;
      to[1] = second;
    }
  }
  __device__ void set_chroma(PixelPoint cell, Sample u, Sample v) const {
    set_pair(chroma + static_cast<std::ptrdiff_t>(cell.y) * chroma_stride + 2 * cell.x, u, v);
  }
};

/// Names the chroma cells that a part of the stored picture covers or touches. The part must not be
/// empty.
struct ChromaCells {
  int x;
  int y;
  int columns;
  int rows;

  __device__ explicit ChromaCells(const PixelRect& area)
      : x(area.x1 >> 1),
        y(area.y1 >> 1),
        columns(((area.x2 - 1) >> 1) - x + 1),
        rows(((area.y2 - 1) >> 1) - y + 1) {}
  __device__ int count() const { return columns * rows; }
};

/// Visits the cells `first`, `first` + `step`, ..., counted row by row, without a division for each
/// cell.
class ChromaCellWalk {
 public:
  __device__ ChromaCellWalk(const ChromaCells& cells, unsigned first, unsigned step)
      : cells_(cells),
        column_(static_cast<int>(first) % cells.columns),
        row_(static_cast<int>(first) / cells.columns),
        columns_on_(static_cast<int>(step) % cells.columns),
        rows_on_(static_cast<int>(step) / cells.columns) {}
  __device__ bool inside() const { return row_ < cells_.rows; }
  __device__ PixelPoint cell() const { return {cells_.x + column_, cells_.y + row_}; }
  __device__ void advance() {
    column_ += columns_on_;
    row_ += rows_on_;
    if (column_ < cells_.columns) return;
    column_ -= cells_.columns;
    ++row_;
  }

 private:
  const ChromaCells& cells_;
  int column_;
  int row_;
  int columns_on_;
  int rows_on_;
};

__device__ inline bool contains(const PixelRect& rect, int x, int y) {
  return rect.x1 <= x && x < rect.x2 && rect.y1 <= y && y < rect.y2;
}
__device__ inline bool overlap(const PixelRect& a, const PixelRect& b) {
  return a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2;
}

/// Writes luma(x, y) to the pixels of a cell that lie in `area`.
template <class Sample, class Luma>
__device__ inline void set_luma(const Canvas<Sample>& canvas, const PixelRect& area,
                                PixelPoint cell, Luma&& luma) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int x = 2 * cell.x;
    const int y = 2 * cell.y + i;
    if (contains(area, x, y) && x + 1 < area.x2) {
      canvas.set_pair(&canvas.luma_at(x, y), luma(x, y), luma(x + 1, y));
    } else {
      if (contains(area, x, y)) canvas.luma_at(x, y) = luma(x, y);
      if (contains(area, x + 1, y)) canvas.luma_at(x + 1, y) = luma(x + 1, y);
    }
  }
}

__device__ inline unsigned face_count(const OverlayWork& work) {
  return min(*work.faces.count, work.faces.capacity);
}

}  // namespace facepipe::overlay
