#include "experiments/programs/nms_papers/rcnn_nms.h"

#include <algorithm>
#include <numeric>

namespace facepipe::nms_papers {

std::vector<std::uint32_t> rcnn_nms(std::span<const Box> boxes, std::span<const float> scores,
                                    float threshold) {
  const auto count = static_cast<std::uint32_t>(boxes.size());
  std::vector<float> areas(count);
  for (std::uint32_t i = 0; i < count; ++i)
    areas[i] = (boxes[i].x2 - boxes[i].x1 + 1) * (boxes[i].y2 - boxes[i].y1 + 1);
  // Like argsort()[::-1], this sorts by rising scores and then reverses the order.
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return scores[a] < scores[b]; });
  std::reverse(order.begin(), order.end());
  std::vector<std::int64_t> suppressed(count);

  std::vector<std::uint32_t> keep;
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    const std::uint32_t i = order[rank];
    if (suppressed[i] == 1) continue;
    keep.push_back(i);
    const Box box = boxes[i];
    for (std::uint32_t later = rank + 1; later < count; ++later) {
      const std::uint32_t j = order[later];
      if (suppressed[j] == 1) continue;
      const float left = std::max(box.x1, boxes[j].x1);
      const float top = std::max(box.y1, boxes[j].y1);
      const float right = std::min(box.x2, boxes[j].x2);
      const float bottom = std::min(box.y2, boxes[j].y2);
      const float width = std::max(0.0F, right - left + 1);
      const float height = std::max(0.0F, bottom - top + 1);
      const float common = width * height;
      if (common / (areas[i] + areas[j] - common) >= threshold) suppressed[j] = 1;
    }
  }
  return keep;
}

}  // namespace facepipe::nms_papers
