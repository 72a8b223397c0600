#include "app/model_check/false_positives.h"

#include <algorithm>
#include <cmath>

namespace facepipe::app {
namespace {

bool overlap(const Box& a, const Box& b) {
  return std::min(a.x2, b.x2) > std::max(a.x1, b.x1) && std::min(a.y2, b.y2) > std::max(a.y1, b.y1);
}

}  // namespace

bool is_false_positive(const Box& found, std::span<const Box> faces) {
  return std::sqrt(found.width() * found.height()) >= kLeastCountedSide &&
         std::ranges::none_of(faces, [&](const Box& face) { return overlap(found, face); });
}

void FalsePositives::add(const Detections& found, std::span<const Box> faces) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!is_false_positive(found.boxes[i], faces)) continue;
    highest_.push(found.scores[i]);
    if (highest_.size() > pictures_) highest_.pop();
  }
}

std::optional<float> FalsePositives::reference_score() const {
  return highest_.size() < pictures_ ? std::nullopt : std::optional(highest_.top());
}

}  // namespace facepipe::app
