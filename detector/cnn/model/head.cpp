#include "detector/cnn/model/head.h"

#include <algorithm>
#include <cmath>

namespace facepipe::detector {
namespace {

bool finite(const Box& box) {
  return std::isfinite(box.x1) && std::isfinite(box.y1) && std::isfinite(box.x2) &&
         std::isfinite(box.y2);
}

bool finite(const Landmarks& landmarks) {
  return std::all_of(landmarks.begin(), landmarks.end(), [](const Point& point) {
    return std::isfinite(point.x) && std::isfinite(point.y);
  });
}

}  // namespace

void push_candidate(Detections& detections, const NetworkFit& fit, const Box& box, float score,
                    const Landmarks& landmarks) {
  const float x = fit.scale_x();
  const float y = fit.scale_y();
  const Box in_frame{box.x1 * x, box.y1 * y, box.x2 * x, box.y2 * y};
  Landmarks points = landmarks;
  for (Point& point : points) point = {point.x * x, point.y * y};
  if (!std::isfinite(score) || !finite(in_frame) || !finite(points)) return;
  const Box visible = clipped(in_frame, fit.frame);
  if (visible.width() <= 0 || visible.height() <= 0) return;
  detections.push_back(visible, score, points);
}

}  // namespace facepipe::detector
