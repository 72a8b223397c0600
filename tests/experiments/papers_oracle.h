// Computes greedy suppression by its definition for any rule, and R-CNN's overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tests/support/nms_cases.h"
#include "tests/support/nms_oracle.h"

namespace facepipe::nms_papers {

/// Says whether a candidate suppresses another one. The function computes in double precision.
using Suppresses = std::function<bool(std::size_t winner, std::size_t loser)>;

/// Keeps the best remaining candidate and removes the candidates that it suppresses, until none
/// remains.
inline std::vector<std::uint32_t> greedy_oracle(const test::NmsCase& all,
                                                const Suppresses& suppresses) {
  std::vector<bool> alive(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    alive[i] = test::is_candidate(all.boxes[i], all.scores[i]);
  std::vector<std::uint32_t> kept;
  while (true) {
    std::size_t best = all.size();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (alive[i] && (best == all.size() || all.scores[i] > all.scores[best])) best = i;
    if (best == all.size()) return kept;
    kept.push_back(static_cast<std::uint32_t>(best));
    alive[best] = false;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (alive[i] && suppresses(best, i)) alive[i] = false;
  }
}

/// Returns the IoU of boxes that are enlarged by a pixel to the right and to the bottom.
inline double overlap_with_a_pixel_more(const Box& a, const Box& b) {
  const auto longer = [](const Box& box) { return Box{box.x1, box.y1, box.x2 + 1, box.y2 + 1}; };
  return test::iou_of(longer(a), longer(b));
}

}  // namespace facepipe::nms_papers
