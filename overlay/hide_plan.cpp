#include "overlay/hide_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/error.h"
#include "core/limits.h"

namespace facepipe::overlay {
namespace {

// Positions are clamped to this many pixels from the origin. This keeps the integers small, and
// changes nothing within a picture.
constexpr double kReach = 4.0 * kMaxPictureSide;
// Floats are first clamped to this, so that their sums stay finite.
constexpr double kFarthest = 1e9;

struct DoubleBox {
  double x1 = 0;
  double y1 = 0;
  double x2 = 0;
  double y2 = 0;
};

DoubleBox finite(const Box& box) {
  const auto cut = [](float edge) {
    return std::clamp(static_cast<double>(edge), -kFarthest, kFarthest);
  };
  return {cut(box.x1), cut(box.y1), cut(box.x2), cut(box.y2)};
}

DoubleBox grown(const DoubleBox& box, double share) {
  const double w = share * (box.x2 - box.x1);
  const double h = share * (box.y2 - box.y1);
  return {box.x1 - w, box.y1 - h, box.x2 + w, box.y2 + h};
}

/// Returns the whole pixels of the upright picture that the box touches, at least one on each axis.
/// Call it before the box is turned: if an empty box lies exactly between two pixels, the direction
/// of the axis decides which of the two pixels it touches.
DoubleBox in_pixels(const DoubleBox& box) {
  const double x1 = std::floor(box.x1);
  const double y1 = std::floor(box.y1);
  return {x1, y1, std::max(x1 + 1, std::ceil(box.x2)), std::max(y1 + 1, std::ceil(box.y2))};
}

/// Converts a box of the upright picture to a box of the stored picture. `map` maps pixels, but the
/// edges of a box lie between pixels, so a reversed axis needs an offset of 1.
DoubleBox stored(const DoubleBox& box, const StoredMap& map) {
  const double x0 = map.x0 + (map.xx + map.xy < 0 ? 1 : 0);
  const double y0 = map.y0 + (map.yx + map.yy < 0 ? 1 : 0);
  const auto [left, right] =
      std::minmax({map.xx * box.x1 + map.xy * box.y1 + x0, map.xx * box.x2 + map.xy * box.y2 + x0});
  const auto [top, bottom] =
      std::minmax({map.yx * box.x1 + map.yy * box.y1 + y0, map.yx * box.x2 + map.yy * box.y2 + y0});
  return {left, top, right, bottom};
}

bool reaches_far(const DoubleBox& box) {
  return box.x1 < -kReach || box.y1 < -kReach || box.x2 > kReach || box.y2 > kReach;
}

/// Widens a range of whole pixels to edges of cells.
ColumnSpan around(double low, double high, int cell) {
  const auto within_reach = [](double edge) {
    return static_cast<int>(std::clamp(edge, -kReach, kReach));
  };
  const OverlayAxis axis{0, cell, 0};
  return {axis.edge_before(within_reach(low)), axis.edge_after(within_reach(high))};
}

PixelRect around(const DoubleBox& box, Size cell) {
  const ColumnSpan x = around(box.x1, box.x2, cell.width);
  const ColumnSpan y = around(box.y1, box.y2, cell.height);
  return {x.x1, y.x1, x.x2, y.x2};
}

PixelRect clipped(const PixelRect& rect, Size picture) {
  return {std::max(rect.x1, 0), std::max(rect.y1, 0), std::min(rect.x2, picture.width),
          std::min(rect.y2, picture.height)};
}

/// Returns the ellipse inside of the box. Its half axes are one unit longer than needed, because
/// the centre is rounded.
MaskEllipse inscribed(const DoubleBox& box) {
  constexpr double kHalf = MaskEllipse::kUnits / 2.0;
  const auto centre = [](double a, double b) {
    return static_cast<std::int32_t>(std::lround(kHalf * (a + b)));
  };
  const auto half_axis = [](double a, double b) {
    return static_cast<std::int32_t>(std::ceil(kHalf * (b - a))) + 1;
  };
  return {centre(box.x1, box.x2), centre(box.y1, box.y2), half_axis(box.x1, box.x2),
          half_axis(box.y1, box.y2)};
}

/// Returns the least radius with which three box filters are as wide as a Gaussian of `sigma`
/// samples. A box of w samples has the variance (w^2 - 1) / 12.
int box_radius(double sigma) {
  const double width = std::sqrt(4 * sigma * sigma + 1);
  return std::clamp(static_cast<int>(std::ceil((width - 1) / 2)), 1, BlurRadius::kMost);
}

BlurRadius blur_radius(double sigma, int log2_w, int log2_h) {
  return {box_radius(sigma / (1 << log2_w)), box_radius(sigma / (1 << log2_h))};
}

class Planner {
 public:
  Planner(const Frame& frame, const HideOptions& options, Size cell)
      : size_(frame.size),
        format_(frame.format),
        map_(stored_map(frame.size, frame.orientation)),
        options_(options),
        cell_(cell) {}

  [[nodiscard]] HideMask mask(const Box& box) const {
    const DoubleBox face = finite(box);
    const DoubleBox upright = grown(face, options_.grow);
    const DoubleBox there = stored(upright, map_);
    HideMask mask;
    mask.whole = around(stored(in_pixels(upright), map_), cell_);
    mask.area = clipped(mask.whole, size_);
    // Clamping would move an ellipse that reaches far, so its mask is the whole rectangle.
    if (options_.shape == MaskShape::ellipse && !reaches_far(there))
      mask.ellipse = inscribed(there);
    const double sigma = std::max(kLeastBlurSigma, kBlurSigma * (face.x2 - face.x1));
    mask.luma_radius = blur_radius(sigma, 0, 0);
    mask.chroma_radius = blur_radius(sigma, format_.log2_chroma_w, format_.log2_chroma_h);
    return mask;
  }

 private:
  Size size_;
  PixelFormat format_;
  StoredMap map_;
  const HideOptions& options_;
  Size cell_;
};

std::int64_t pixels_of(const PixelRect& area) {
  return std::int64_t{area.x2 - area.x1} * (area.y2 - area.y1);
}

/// Returns all values in which masks of equal area can differ. They are the sort key of such masks.
std::array<std::int64_t, 15> rank(const HideMask& mask) {
  const PixelRect& at = mask.area;
  const PixelRect& whole = mask.whole;
  const MaskEllipse& ellipse = mask.ellipse;
  return {at.y1,
          at.x1,
          at.y2,
          at.x2,
          whole.y1,
          whole.x1,
          whole.y2,
          whole.x2,
          ellipse.y,
          ellipse.x,
          ellipse.ry,
          ellipse.rx,
          mask.luma_radius.x,
          mask.chroma_radius.x,
          mask.chroma_radius.y};
}

bool comes_before(const HideMask& a, const HideMask& b) {
  const std::int64_t of_a = pixels_of(a.area);
  const std::int64_t of_b = pixels_of(b.area);
  return of_a != of_b ? of_a < of_b : rank(a) < rank(b);
}

void check_faces(std::span<const Box> faces) {
  if (faces.size() > kMostHiddenFaces)
    throw Error(ErrorKind::device, "hide: " + std::to_string(faces.size()) +
                                       " faces in a frame, more than " +
                                       std::to_string(kMostHiddenFaces));
  for (const Box& box : faces)
    if (!(box.x1 <= box.x2 && box.y1 <= box.y2))  // also true for NaN
      throw Error(ErrorKind::internal, "hide: a face's box ends before it begins, or has a NaN");
}

}  // namespace

HidePlan plan_hiding(const Frame& frame, std::span<const Box> faces, const HideOptions& options) {
  check_faces(faces);
  HidePlan plan;
  plan.cell = chroma_cell(frame.format, frame.field_order != FieldOrder::progressive);
  const Planner planner(frame, options, plan.cell);
  for (const Box& face : faces) {
    const HideMask mask = planner.mask(face);
    if (!mask.area.empty()) plan.masks.push_back(mask);
  }
  std::ranges::sort(plan.masks, comes_before);
  const auto equal = std::ranges::unique(plan.masks);
  plan.masks.erase(equal.begin(), equal.end());
  return plan;
}

}  // namespace facepipe::overlay
