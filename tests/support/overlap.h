// Computes the overlap of boxes in simple code for tests.
#pragma once

#include <algorithm>

#include "core/geometry.h"

namespace facepipe::test {

/// Returns the IoU, from 0 to 1.
inline double overlap(const Box& a, const Box& b) {
  const double width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  const double height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  if (width <= 0 || height <= 0) return 0;
  const double both = width * height;
  return both / (static_cast<double>(a.width()) * a.height() +
                 static_cast<double>(b.width()) * b.height() - both);
}

}  // namespace facepipe::test
