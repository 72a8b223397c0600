// How points are followed from one picture to another: what all devices compute alike.
#pragma once

#include <cmath>
#include <cstddef>

#include "core/geometry.h"
#include "core/host_device.h"
#include "track/similarity.h"

// Products meet sums here: whoever includes it compiles without fused multiply-add, on the host
// (-ffp-contract=off) and on the device (--fmad=false).
namespace facepipe::track {

/// Side of the window around a point that is compared, in samples of a level.
inline constexpr int kFlowWindow = 8;
inline constexpr int kMostFlowSteps = 12;       ///< at one level
inline constexpr float kFlowConverged = 0.05F;  ///< samples
inline constexpr float kFlowDiverged = 1;       ///< samples, of the last step
/// The least eigenvalue of the gradients' mean matrix, in squared grey levels per sample: less is
/// what rounding to 8 bits makes of a flat surface.
inline constexpr float kLeastFlowTexture = 0.25F;

inline constexpr int kLevelsOfCamera = 3;
inline constexpr int kLevelsOfBox = 3;
inline constexpr int kMostGrid = 5;         ///< points on each axis of a box that may be followed
inline constexpr float kSamplesOfBox = 16;  ///< of a box' shorter side, at the finest level

/// The sizes of a pyramid's levels: half the picture's, then each half of the one before, down to
/// the last that is 16 samples or more on both sides, six at most; the first is there whatever its
/// size.
struct PyramidShape {
  Size picture;
  int levels = 0;

  PyramidShape() = default;
  FACEPIPE_HOST_DEVICE explicit PyramidShape(Size of) : picture(of), levels(1) {
    constexpr int kMostLevels = 6;
    constexpr int kSmallestSide = 16;
    while (levels < kMostLevels) {
      const Size next = size(levels);
      if (next.width < kSmallestSide || next.height < kSmallestSide) break;
      ++levels;
    }
  }

  /// Of halves rounded up.
  [[nodiscard]] FACEPIPE_HOST_DEVICE Size size(int level) const {
    const int shift = level + 1;
    return {(picture.width + (1 << shift) - 1) >> shift,
            (picture.height + (1 << shift) - 1) >> shift};
  }
  [[nodiscard]] FACEPIPE_HOST_DEVICE std::size_t samples(int level) const {
    const Size its = size(level);
    return static_cast<std::size_t>(its.width) * static_cast<std::size_t>(its.height);
  }
  /// Side of a level's sample in pixels of the picture: 2, 4, 8, ...
  [[nodiscard]] static FACEPIPE_HOST_DEVICE float scale(int level) {
    return static_cast<float>(2 << level);
  }
  /// A quarter of the picture's size is fine enough for histograms and for the camera; of more than
  /// 2560 pixels less, or a pan that is as fast in shares of the picture would be beyond reach.
  [[nodiscard]] FACEPIPE_HOST_DEVICE int coarse() const {
    constexpr int kEnough = 640;
    int level = levels > 1 ? 1 : 0;
    while (level + 1 < levels && (size(level).width > kEnough || size(level).height > kEnough))
      ++level;
    return level;
  }

  friend bool operator==(const PyramidShape&, const PyramidShape&) = default;
};

/// A view of one level: samples of 8 bits, rows without padding. The sample (i, j) is the mean of
/// the pixels from (scale * i, scale * j) on.
struct LumaLevel {
  const unsigned char* samples = nullptr;
  Size size;
  float scale = 0;
};

/// The level at which the box has some 16 to 32 samples: the work doesn't depend on its size.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline int level_for(const PyramidShape& shape, float side) {
  int level = 0;
  while (level + 1 < shape.levels && side / PyramidShape::scale(level + 1) >= kSamplesOfBox)
    ++level;
  return level;
}

[[nodiscard]] FACEPIPE_HOST_DEVICE inline bool is_inside(Point p, Size size) {
  return p.x >= 0 && p.y >= 0 && p.x < static_cast<float>(size.width) &&
         p.y < static_cast<float>(size.height);
}

/// The i-th of grid x grid points in a box. From a tenth of the width on, because a face is
/// narrower than its box at the top and below.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline Point point_of(const Box& box, int grid, int i) {
  const int whole_rows = i / grid;
  const auto column = static_cast<float>(i % grid);
  const auto row = static_cast<float>(whole_rows);
  const float u = 0.1F + 0.8F * (column + 0.5F) / static_cast<float>(grid);
  const float v = (row + 0.5F) / static_cast<float>(grid);
  return {box.x1 + u * (box.x2 - box.x1), box.y1 + v * (box.y2 - box.y1)};
}

/// How far a point that is followed to and fro may come out from where it was.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float return_tolerance(float scale) {
  return scale > 2 ? 0.5F * scale : 1.0F;
}

/// Where a window's samples lie between those of a level: its first, and the weights of four.
struct WindowPlace {
  int x = 0;
  int y = 0;
  float w00 = 0;
  float w10 = 0;
  float w01 = 0;
  float w11 = 0;

  /// The window of `side` samples around `centre` (samples; (0, 0) is the outer corner of the
  /// first).
  FACEPIPE_HOST_DEVICE WindowPlace(Point centre, int side) {
    const float half = 0.5F * static_cast<float>(side);
    const float left = centre.x - half;  // of the first sample's centre, less 0.5
    const float top = centre.y - half;
    const float floor_x = std::floor(left);
    const float floor_y = std::floor(top);
    const float fx = left - floor_x;
    const float fy = top - floor_y;
    x = static_cast<int>(floor_x);
    y = static_cast<int>(floor_y);
    w00 = (1 - fx) * (1 - fy);
    w10 = fx * (1 - fy);
    w01 = (1 - fx) * fy;
    w11 = fx * fy;
  }

  [[nodiscard]] FACEPIPE_HOST_DEVICE float between(float a, float b, float below_a,
                                                   float below_b) const {
    return w00 * a + w10 * b + w01 * below_a + w11 * below_b;
  }
};

/// The inverse of the matrix of a window's gradients.
struct FlowMatrix {
  float xx = 0;
  float xy = 0;
  float yy = 0;
  bool textured = false;  ///< else there is none, or it means little

  FlowMatrix() = default;
  /// Of the sums of the gradients' products.
  FACEPIPE_HOST_DEVICE FlowMatrix(float sum_xx, float sum_xy, float sum_yy) {
    const float root = std::sqrt((sum_xx - sum_yy) * (sum_xx - sum_yy) + 4 * sum_xy * sum_xy);
    const float least = (sum_xx + sum_yy - root) / (2 * kFlowWindow * kFlowWindow);
    const float determinant = sum_xx * sum_yy - sum_xy * sum_xy;
    textured = least >= kLeastFlowTexture && determinant > 0;
    if (!textured) return;
    xx = sum_yy / determinant;
    xy = -sum_xy / determinant;
    yy = sum_xx / determinant;
  }

  [[nodiscard]] FACEPIPE_HOST_DEVICE Point step(float x, float y) const {
    return {xx * x + xy * y, xy * x + yy * y};
  }
};

[[nodiscard]] FACEPIPE_HOST_DEVICE inline float length_of(Point step) {
  return std::sqrt(step.x * step.x + step.y * step.y);
}

/// A point that may be followed, with its texture: the least eigenvalue of the matrix of gradients
/// around it, times 2 (Shi and Tomasi 1994).
struct TexturedPoint {
  Point at;  ///< pixels of the picture
  float texture = 0;
};

/// Of the sums of a window's gradients, which are differences of samples two apart.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float texture_of(int xx, int xy, int yy) {
  const auto a = static_cast<float>(xx);
  const auto b = static_cast<float>(xy);
  const auto c = static_cast<float>(yy);
  return a + c - std::sqrt((a - c) * (a - c) + 4 * b * b);
}

/// The windows of a level among which the best of each 2 x 2 may be followed. The samples around
/// the picture's outermost ones have no gradients.
struct TextureGrid {
  static constexpr int kStep = 2 * kFlowWindow;
  int columns = 0;
  int rows = 0;

  TextureGrid() = default;
  FACEPIPE_HOST_DEVICE explicit TextureGrid(Size level)
      : columns((level.width - 2) / kStep), rows((level.height - 2) / kStep) {}

  [[nodiscard]] FACEPIPE_HOST_DEVICE int places() const { return columns * rows; }
  /// The upper left sample of one of the four windows of a place.
  [[nodiscard]] FACEPIPE_HOST_DEVICE int left(int place, int window) const {
    return 1 + place % columns * kStep + window % 2 * kFlowWindow;
  }
  [[nodiscard]] FACEPIPE_HOST_DEVICE int top(int place, int window) const {
    return 1 + place / columns * kStep + window / 2 * kFlowWindow;
  }
  /// The middle of a window, in pixels of the picture.
  [[nodiscard]] static FACEPIPE_HOST_DEVICE Point middle(int left, int top, float scale) {
    constexpr float kMiddle = 0.5F * kFlowWindow;
    return {(static_cast<float>(left) + kMiddle) * scale,
            (static_cast<float>(top) + kMiddle) * scale};
  }
};

/// Cells of the picture, on each axis, of which each has its histogram.
inline constexpr int kHistogramCells = 4;
inline constexpr int kGreys = 256;

/// The first row, or column, of a cell; that of cell kHistogramCells is the end.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline int cell_row(int cell, int height) {
  return (cell * height + kHistogramCells - 1) / kHistogramCells;
}
[[nodiscard]] FACEPIPE_HOST_DEVICE inline int cell_column(int cell, int width) {
  return cell * width / kHistogramCells;
}

}  // namespace facepipe::track
