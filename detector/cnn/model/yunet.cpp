// YuNet (Wu et al., 2023) has anchor-free cells at strides 8, 16 and 32.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "detector/cnn/model/known_models.h"

namespace facepipe::detector {
namespace {

constexpr std::array kStrides{8, 16, 32};
constexpr std::size_t kOutputsPerStride = 4;
constexpr std::size_t kBoxValues = 4;
constexpr std::size_t kLandmarkValues = 10;

/// The outputs of one stride, as cells.
struct Level {
  int stride;
  std::span<const float> cls;
  std::span<const float> obj;
  std::span<const float> bbox;
  std::span<const float> kps;
};

float score_at(const Level& level, std::size_t cell) {
  const float cls = std::clamp(level.cls[cell], 0.F, 1.F);
  const float obj = std::clamp(level.obj[cell], 0.F, 1.F);
  return std::sqrt(cls * obj);
}

Box box_at(const Level& level, std::size_t cell, Point corner) {
  const std::span<const float> bbox = level.bbox.subspan(cell * kBoxValues, kBoxValues);
  const auto stride = static_cast<float>(level.stride);
  const float x = (corner.x + bbox[0]) * stride;
  const float y = (corner.y + bbox[1]) * stride;
  const float width = std::exp(bbox[2]) * stride;
  const float height = std::exp(bbox[3]) * stride;
  return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
}

Landmarks landmarks_at(const Level& level, std::size_t cell, Point corner) {
  const std::span<const float> kps = level.kps.subspan(cell * kLandmarkValues, kLandmarkValues);
  const auto stride = static_cast<float>(level.stride);
  Landmarks points;
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i] = {(corner.x + kps[2 * i]) * stride, (corner.y + kps[2 * i + 1]) * stride};
  return points;
}

void decode_level(const Level& level, const NetworkFit& fit, float score_threshold,
                  Detections& detections) {
  std::size_t cell = 0;
  for (int row = 0; row < fit.network.height / level.stride; ++row) {
    for (int column = 0; column < fit.network.width / level.stride; ++column, ++cell) {
      const float score = score_at(level, cell);
      if (!(score > score_threshold)) continue;
      const Point corner{static_cast<float>(column), static_cast<float>(row)};
      push_candidate(detections, fit, box_at(level, cell, corner), score,
                     landmarks_at(level, cell, corner));
    }
  }
}

/// The score is sqrt(cls * obj), each clamped to 0..1. The box of a cell (row, column) has the
/// centre ((column + b0) * stride, (row + b1) * stride) and the size exp(b2) * stride by exp(b3) *
/// stride. Landmarks are ((column + k0) * stride, (row + k1) * stride), and so on. OpenCV's
/// FaceDetectorYN computes the same.
Detections decode(const NetworkOutputs& outputs, const NetworkFit& fit, float score_threshold) {
  Detections detections;
  std::size_t first = 0;
  for (const int stride : kStrides) {
    const Level level{stride, outputs[first], outputs[first + 1], outputs[first + 2],
                      outputs[first + 3]};
    decode_level(level, fit, score_threshold, detections);
    first += kOutputsPerStride;
  }
  return detections;
}

bool holds_cells(const DeclaredTensor& output, const ModelOutput& wanted,
                 const DeclaredTensor& image) {
  constexpr std::size_t kRank = 3;
  if (output.extents.size() != kRank || output.extents[2] != wanted.channels) return false;
  const std::int64_t cells = output.extents[1];
  const std::int64_t height = image.extents[2];
  const std::int64_t width = image.extents[3];
  if (height < 0 || width < 0 || cells < 0) return true;
  return cells == (height / wanted.stride) * (width / wanted.stride);
}

std::optional<std::vector<ModelOutput>> find_outputs(const DeclaredTensor& image,
                                                     std::span<const DeclaredTensor> outputs) {
  constexpr std::array<std::pair<std::string_view, int>, kOutputsPerStride> kParts{
      {{"cls_", 1}, {"obj_", 1}, {"bbox_", 4}, {"kps_", 10}}};
  std::vector<ModelOutput> found;
  for (const int stride : kStrides)
    for (const auto& [prefix, channels] : kParts)
      found.push_back({std::string(prefix) + std::to_string(stride), channels, stride});
  if (outputs.size() != found.size()) return std::nullopt;
  for (const ModelOutput& wanted : found) {
    const auto output = std::ranges::find(outputs, wanted.name, &DeclaredTensor::name);
    if (output == outputs.end() || !holds_cells(*output, wanted, image)) return std::nullopt;
  }
  return found;
}

}  // namespace

constinit const KnownModel kYunet{
    .kind = ModelKind::yunet,
    .name = "yunet",
    .title = "YuNet",
    .channel_order = ChannelOrder::bgr,
    .output_layout = OutputLayout::cells,
    .find_outputs = find_outputs,
    .decode = decode,
};

}  // namespace facepipe::detector
