// Greedy suppression written as its definition reads, for tests of every back end.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/geometry.h"

namespace facepipe::test {

/// In double, so that it shares no rounding with what it checks: cases near the threshold must have
/// coordinates that make both exact.
inline bool overlaps_more(const Box& a, const Box& b, double threshold) {
  const double left = a.x1 > b.x1 ? a.x1 : b.x1;
  const double top = a.y1 > b.y1 ? a.y1 : b.y1;
  const double right = a.x2 < b.x2 ? a.x2 : b.x2;
  const double bottom = a.y2 < b.y2 ? a.y2 : b.y2;
  if (right <= left || bottom <= top) return false;
  const double inter = (right - left) * (bottom - top);
  const double area_a = (static_cast<double>(a.x2) - a.x1) * (static_cast<double>(a.y2) - a.y1);
  const double area_b = (static_cast<double>(b.x2) - b.x1) * (static_cast<double>(b.y2) - b.y1);
  return inter > threshold * (area_a + area_b - inter);
}

inline bool is_candidate(const Box& box, float score) {
  if (std::isnan(box.x1) || std::isnan(box.y1) || std::isnan(box.x2) || std::isnan(box.y2))
    return false;
  return !std::isnan(score) && box.x2 > box.x1 && box.y2 > box.y1;
}

/// Takes the best candidate left, keeps it, strikes out what it overlaps; until none is left.
inline std::vector<std::uint32_t> nms_oracle(const std::vector<Box>& boxes,
                                             const std::vector<float>& scores, double threshold) {
  std::vector<bool> alive(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) alive[i] = is_candidate(boxes[i], scores[i]);
  std::vector<std::uint32_t> kept;
  while (true) {
    std::size_t best = boxes.size();
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (alive[i] && (best == boxes.size() || scores[i] > scores[best])) best = i;
    if (best == boxes.size()) return kept;
    kept.push_back(static_cast<std::uint32_t>(best));
    alive[best] = false;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (alive[i] && overlaps_more(boxes[best], boxes[i], threshold)) alive[i] = false;
  }
}

}  // namespace facepipe::test
