// Ranks candidates on the host for the papers' methods of suppression.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry.h"
#include "nms/predicate.h"

namespace facepipe::nms_papers {

/// Replaces `order` by the indices of the candidates that nms.h calls valid, by falling score. Of
/// equal scores, the lower index comes first. Allocates memory only if the capacity of `order` is
/// too small.
inline void rank_candidates(std::vector<std::uint32_t>& order, std::span<const Box> boxes,
                            std::span<const float> scores) {
  order.clear();
  for (std::uint32_t i = 0; i < boxes.size(); ++i)
    if (const Box& box = boxes[i]; nms::valid(box.x1, box.y1, box.x2, box.y2, scores[i]))
      order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
}

}  // namespace facepipe::nms_papers
