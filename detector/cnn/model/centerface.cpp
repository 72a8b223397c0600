#include "detector/cnn/model/centerface.h"

#include <cmath>

namespace facepipe {
namespace {

constexpr int kStride = 4;

/// Channels of one output, each rows x columns.
class Maps {
 public:
  Maps(std::span<const float> values, std::size_t cells) : values_(values), cells_(cells) {}
  [[nodiscard]] float at(std::size_t channel, std::size_t cell) const {
    return values_[channel * cells_ + cell];
  }

 private:
  std::span<const float> values_;
  std::size_t cells_;
};

Box box_at(const Maps& scale, const Maps& offset, std::size_t cell, int row, int column) {
  const float height = std::exp(scale.at(0, cell)) * kStride;
  const float width = std::exp(scale.at(1, cell)) * kStride;
  const float y = (static_cast<float>(row) + offset.at(0, cell) + 0.5F) * kStride;
  const float x = (static_cast<float>(column) + offset.at(1, cell) + 0.5F) * kStride;
  return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
}

Landmarks landmarks_at(const Maps& landmarks, std::size_t cell, const Box& box) {
  Landmarks points;
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i] = {landmarks.at(2 * i + 1, cell) * box.width() + box.x1,
                 landmarks.at(2 * i, cell) * box.height() + box.y1};
  return points;
}

}  // namespace

Detections CenterfaceHead::decode(const NetworkOutputs& outputs, const NetworkFit& fit,
                                  float score_threshold) const {
  const int rows = fit.network.height / kStride;
  const int columns = fit.network.width / kStride;
  const std::size_t cells = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  const std::span<const float> heatmap = outputs[0];
  const Maps scale(outputs[1], cells);
  const Maps offset(outputs[2], cells);
  const Maps landmarks(outputs[3], cells);
  Detections detections;
  std::size_t cell = 0;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column, ++cell) {
      if (!(heatmap[cell] > score_threshold)) continue;
      const Box box = box_at(scale, offset, cell, row, column);
      push_candidate(detections, fit, box, heatmap[cell], landmarks_at(landmarks, cell, box));
    }
  }
  return detections;
}

}  // namespace facepipe
