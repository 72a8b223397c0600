#include "detector/mirror.h"

#include <cstddef>
#include <utility>

namespace facepipe::detector {
namespace {

/// Returns the landmarks in the mirrored picture. Left and right points are exchanged, because left
/// becomes right in a mirror.
Landmarks mirrored(Landmarks points, float width) {
  for (Point& point : points) point.x = width - point.x;
  std::swap(points[0], points[1]);
  std::swap(points[3], points[4]);
  return points;
}

}  // namespace

Frame mirrored_view(const Frame& frame) {
  Frame view = view_of(frame);
  view.orientation = mirrored(frame.orientation);
  return view;
}

Box mirrored(const Box& box, int width) {
  const auto right = static_cast<float>(width);
  return {right - box.x2, box.y1, right - box.x1, box.y2};
}

void append_mirrored(Detections& to, const Detections& found, int width) {
  const auto edge = static_cast<float>(width);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Box there = mirrored(found.boxes[i], width);
    if (found.has_landmarks())
      to.push_back(there, found.scores[i], mirrored(found.landmarks[i], edge));
    else
      to.push_back(there, found.scores[i]);
    to.set_class_of_last(found.class_of(i));
  }
}

}  // namespace facepipe::detector
