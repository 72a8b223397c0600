// Compares two boxes, in integers, to decide whether they show the same face. similar() compares
// them like OpenCV's groupRectangles (SimilarRects, eps = 0.2), for the rule `groups`.
// measure_agreement() compares boxes with agreement().
#pragma once

#include <cmath>
#include <cstdint>

#include "core/geometry.h"
#include "core/host_device.h"

namespace facepipe::nms {

/// Holds a box in whole pixels, like OpenCV's Rect.
struct WholeBox {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  friend bool operator==(const WholeBox&, const WholeBox&) = default;
};

/// No corner of a valid box is further than this from an axis. So an int can hold the sum of two
/// coordinates, a 64-bit integer can hold sums over 65,536 boxes, and a float holds each coordinate
/// exactly.
inline constexpr int kFarthest = 1 << 23;

/// Rounds x1, y1, width and height to the nearest, halves to even. Returns false and doesn't set
/// `out` if a corner is NaN or beyond kFarthest, or if the rounded box has no width or no height.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline bool round_to_pixels(const Box& box, WholeBox& out) {
  constexpr auto kEnd = static_cast<float>(kFarthest);
  // These comparisons are false for NaN.
  const bool near = box.x1 >= -kEnd && box.y1 >= -kEnd && box.x2 <= kEnd && box.y2 <= kEnd;
  if (!near || !(box.x1 < box.x2) || !(box.y1 < box.y2)) return false;
  const auto width = static_cast<int>(rintf(box.x2 - box.x1));
  const auto height = static_cast<int>(rintf(box.y2 - box.y1));
  if (width == 0 || height == 0) return false;
  out = {static_cast<int>(rintf(box.x1)), static_cast<int>(rintf(box.y1)), width, height};
  return true;
}

/// Returns the largest difference of edges that similar boxes may have. `sum` is the sum of the
/// lesser width and the lesser height. OpenCV compares whole numbers with sum * 0.2 * 0.5 as a
/// double. The result is the same: if sum / 10 is a whole number, that product is exact. Otherwise
/// it is at least 0.1 away from any whole number.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline int most_difference(int sum) { return sum / 10; }

[[nodiscard]] FACEPIPE_HOST_DEVICE inline int absolute(int value) {
  return value < 0 ? -value : value;
}

/// Returns whether two valid boxes are similar. The relation is symmetric and not transitive, and
/// every box is similar to itself.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline bool similar(const WholeBox& a, const WholeBox& b) {
  const int width = a.width < b.width ? a.width : b.width;
  const int height = a.height < b.height ? a.height : b.height;
  const int most = most_difference(width + height);
  return absolute(a.x - b.x) <= most && absolute(a.y - b.y) <= most &&
         absolute(a.x + a.width - b.x - b.width) <= most &&
         absolute(a.y + a.height - b.y - b.height) <= most;
}

[[nodiscard]] FACEPIPE_HOST_DEVICE inline std::int64_t area(const WholeBox& box) {
  return std::int64_t{box.width} * box.height;
}

/// Returns the length of the intersection of two intervals; 0 or less if they don't overlap.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline int common(int a, int a_length, int b, int b_length) {
  const int first = a < b ? b : a;
  const int end = a + a_length < b + b_length ? a + a_length : b + b_length;
  return end - first;
}

/// agreement() is in units of 1 / kWholeIou, so kWholeIou is an IoU of 1.
inline constexpr std::int64_t kWholeIou = 1 << 15;

/// Returns the IoU of two valid boxes in units of 1 / kWholeIou, rounded down, if the IoU is above
/// 1/2; otherwise 0. The result is an integer, so the order of a sum makes no difference.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline std::int64_t agreement(const WholeBox& a,
                                                                 const WholeBox& b) {
  const int width = common(a.x, a.width, b.x, b.width);
  const int height = common(a.y, a.height, b.y, b.height);
  if (width <= 0 || height <= 0) return 0;
  const std::int64_t both = std::int64_t{width} * height;
  const std::int64_t either = area(a) + area(b) - both;
  return 2 * both > either ? both * kWholeIou / either : 0;
}

}  // namespace facepipe::nms
