// Follows points from one picture to another. All devices compute this in the same way.
#pragma once

#include <cmath>
#include <cstddef>

#include "core/geometry.h"
#include "core/host_device.h"
#include "track/similarity.h"

// This code contains sums of products. So every user compiles it without fused multiply-add, on the
// host (-ffp-contract=off) and on the device (--fmad=false).
namespace facepipe::track {

/// The side of the window around a point, in samples of a level. A point is found by comparing the
/// windows of two pictures.
inline constexpr int kFlowWindow = 8;
inline constexpr int kMostFlowSteps = 12;  ///< the most steps at one level
/// In samples; the search ends after a shorter step.
inline constexpr float kFlowConverged = 0.05F;
inline constexpr float kFlowDiverged = 1;  ///< the search fails if the last step isn't shorter
/// The least eigenvalue of the gradients' mean matrix that counts as texture, in squared grey
/// levels per sample. A flat surface has a lower value, although its samples are rounded to 8 bits.
inline constexpr float kLeastFlowTexture = 0.25F;

inline constexpr int kLevelsOfCamera = 3;  ///< levels at which points of the picture are followed
inline constexpr int kLevelsOfBox = 3;     ///< levels at which points of a box are followed
inline constexpr int kMostGrid = 5;        ///< the most points that are followed in a box, on each
                                           ///< axis
/// The smallest number of samples that a box's shorter side should have at the finest level.
inline constexpr float kSamplesOfBox = 16;

/// Computes the sizes of a pyramid's levels. The first level has half the picture's size, even if
/// the picture is small. Each further level has half the size of the previous level, and at least
/// 16 samples on both sides. There are at most six levels.
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

  /// Returns a level's size: the picture's size halved level + 1 times, rounded up.
  [[nodiscard]] FACEPIPE_HOST_DEVICE Size size(int level) const {
    const int shift = level + 1;
    return {(picture.width + (1 << shift) - 1) >> shift,
            (picture.height + (1 << shift) - 1) >> shift};
  }
  [[nodiscard]] FACEPIPE_HOST_DEVICE std::size_t samples(int level) const {
    const Size its = size(level);
    return static_cast<std::size_t>(its.width) * static_cast<std::size_t>(its.height);
  }
  /// Returns the side of a level's sample in pixels of the picture: 2, 4, 8, ...
  [[nodiscard]] static FACEPIPE_HOST_DEVICE float scale(int level) {
    return static_cast<float>(2 << level);
  }
  /// Returns the level for histograms and for the camera. Usually it has a quarter of the picture's
  /// size. If a side of the picture is over 2560 pixels, the level is coarser. Otherwise a pan that
  /// is as fast relative to the picture's size would be too fast for the search.
  [[nodiscard]] FACEPIPE_HOST_DEVICE int coarse() const {
    constexpr int kEnough = 640;
    int level = levels > 1 ? 1 : 0;
    while (level + 1 < levels && (size(level).width > kEnough || size(level).height > kEnough))
      ++level;
    return level;
  }

  friend bool operator==(const PyramidShape&, const PyramidShape&) = default;
};

/// Refers to one level: samples of 8 bits, rows without padding. The sample (i, j) is the mean of a
/// square of scale x scale pixels. The first of these pixels is (scale * i, scale * j).
struct LumaLevel {
  const unsigned char* samples = nullptr;
  Size size;
  float scale = 0;
};

/// Returns the level at which the box's shorter side has about 16 to 32 samples, so that the work
/// doesn't depend on the size of the box.
/// @param side  the box's shorter side, in pixels
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

/// Returns the i-th of grid x grid points in a box. Points begin at a tenth of the width, because a
/// face is narrower than its box at the top and at the bottom.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline Point point_of(const Box& box, int grid, int i) {
  const int whole_rows = i / grid;
  const auto column = static_cast<float>(i % grid);
  const auto row = static_cast<float>(whole_rows);
  const float u = 0.1F + 0.8F * (column + 0.5F) / static_cast<float>(grid);
  const float v = (row + 0.5F) / static_cast<float>(grid);
  return {box.x1 + u * (box.x2 - box.x1), box.y1 + v * (box.y2 - box.y1)};
}

/// A point is followed from one picture to the other and back. Returns the distance from its start,
/// in pixels, below which it counts as found.
/// @param scale  LumaLevel::scale of the finest level
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float return_tolerance(float scale) {
  return scale > 2 ? 0.5F * scale : 1.0F;
}

/// Says how to interpolate the samples of a window from the samples of a level: the position of the
/// first sample, and the weights of four neighbouring samples.
struct WindowPlace {
  int x = 0;
  int y = 0;
  float w00 = 0;
  float w10 = 0;
  float w01 = 0;
  float w11 = 0;

  /// Places the window of `side` samples around `centre`. `centre` is in samples; (0, 0) is the
  /// outer corner of the first sample.
  FACEPIPE_HOST_DEVICE WindowPlace(Point centre, int side) {
    const float half = 0.5F * static_cast<float>(side);
    const float left = centre.x - half;  // the position of the first sample's centre, minus 0.5
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

/// Holds the inverse of the matrix of a window's gradients.
struct FlowMatrix {
  float xx = 0;
  float xy = 0;
  float yy = 0;
  bool textured = false;  ///< if false, there is no inverse, or it isn't reliable

  FlowMatrix() = default;
  /// Takes the sums of the gradients' products.
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

/// Holds a point that may be followed, with its texture: 2 times the least eigenvalue of the matrix
/// of gradients around it (Shi and Tomasi 1994).
struct TexturedPoint {
  Point at;  ///< in pixels of the picture
  float texture = 0;
};

/// Returns the texture for the sums of products of a window's gradients. A gradient is the
/// difference of two samples whose distance is 2.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float texture_of(int xx, int xy, int yy) {
  const auto a = static_cast<float>(xx);
  const auto b = static_cast<float>(xy);
  const auto c = static_cast<float>(yy);
  return a + c - std::sqrt((a - c) * (a - c) + 4 * b * b);
}

/// Divides a level into places of 2 x 2 windows. At each place, only the window with the most
/// texture can be followed. The outermost samples are left out, because they have no gradients.
struct TextureGrid {
  static constexpr int kStep = 2 * kFlowWindow;
  int columns = 0;
  int rows = 0;

  TextureGrid() = default;
  FACEPIPE_HOST_DEVICE explicit TextureGrid(Size level)
      : columns((level.width - 2) / kStep), rows((level.height - 2) / kStep) {}

  [[nodiscard]] FACEPIPE_HOST_DEVICE int places() const { return columns * rows; }
  /// left() and top() return the position of the upper left sample of one of a place's four
  /// windows.
  [[nodiscard]] FACEPIPE_HOST_DEVICE int left(int place, int window) const {
    return 1 + place % columns * kStep + window % 2 * kFlowWindow;
  }
  [[nodiscard]] FACEPIPE_HOST_DEVICE int top(int place, int window) const {
    return 1 + place / columns * kStep + window / 2 * kFlowWindow;
  }
  /// Returns the middle of a window, in pixels of the picture.
  [[nodiscard]] static FACEPIPE_HOST_DEVICE Point middle(int left, int top, float scale) {
    constexpr float kMiddle = 0.5F * kFlowWindow;
    return {(static_cast<float>(left) + kMiddle) * scale,
            (static_cast<float>(top) + kMiddle) * scale};
  }
};

/// The number of cells of the picture on each axis. Each cell has its histogram.
inline constexpr int kHistogramCells = 4;
inline constexpr int kGreys = 256;

/// cell_row() and cell_column() return the first row and column of a cell. For cell kHistogramCells
/// they return the end of the last cell.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline int cell_row(int cell, int height) {
  return (cell * height + kHistogramCells - 1) / kHistogramCells;
}
[[nodiscard]] FACEPIPE_HOST_DEVICE inline int cell_column(int cell, int width) {
  return cell * width / kHistogramCells;
}

}  // namespace facepipe::track
