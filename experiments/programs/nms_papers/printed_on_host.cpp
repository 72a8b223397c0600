#include "experiments/programs/nms_papers/printed_on_host.h"

#include <algorithm>

namespace facepipe::nms_papers {

std::vector<PrintedDetection> printed_detections(std::span<const Box> boxes,
                                                 std::span<const float> scores) {
  std::vector<PrintedDetection> out;
  out.reserve(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i)
    out.push_back(printed_detection(boxes[i], scores[i]));
  return out;
}

std::vector<std::uint32_t> printed_on_host(std::span<const Box> boxes,
                                           std::span<const float> scores, float threshold) {
  const std::vector<PrintedDetection> all = printed_detections(boxes, scores);
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < all.size(); ++i)
    if (std::none_of(all.begin(), all.end(), [&](const PrintedDetection& j) {
          return printed_writes(all[i], j) && !printed_cell(all[i], j, threshold);
        }))
      out.push_back(i);
  return out;
}

}  // namespace facepipe::nms_papers
