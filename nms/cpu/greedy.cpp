#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "nms/nms.h"

namespace facepipe {
namespace {

bool valid(const Box& box, float score) {
  // Comparisons with NaN are false, so a NaN corner fails one of them.
  return box.width() > 0 && box.height() > 0 && !std::isnan(score);
}

bool suppresses(const Box& winner, float winner_area, const Box& loser, float loser_area,
                float threshold) {
  const float width = std::max(0.0F, std::min(winner.x2, loser.x2) - std::max(winner.x1, loser.x1));
  const float height =
      std::max(0.0F, std::min(winner.y2, loser.y2) - std::max(winner.y1, loser.y1));
  const float inter = width * height;
  return inter > threshold * (winner_area + loser_area - inter);
}

}  // namespace

std::vector<std::uint32_t> greedy_nms(std::span<const Box> boxes, std::span<const float> scores,
                                      float iou_threshold) {
  if (boxes.size() != scores.size())
    throw std::invalid_argument("greedy_nms: as many scores as boxes are needed");
  std::vector<std::uint32_t> order;
  order.reserve(boxes.size());
  for (std::uint32_t i = 0; i < boxes.size(); ++i)
    if (valid(boxes[i], scores[i])) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });

  std::vector<std::uint32_t> kept;
  std::vector<float> kept_areas;
  for (const std::uint32_t i : order) {
    const float area = boxes[i].width() * boxes[i].height();
    bool stands = true;
    for (std::size_t k = 0; k < kept.size() && stands; ++k)
      stands = !suppresses(boxes[kept[k]], kept_areas[k], boxes[i], area, iou_threshold);
    if (!stands) continue;
    kept.push_back(i);
    kept_areas.push_back(area);
  }
  return kept;
}

}  // namespace facepipe
