#include <onnx/onnx_pb.h>

#include <array>
#include <map>

#include "detector/cnn/model/card/recognition.h"

namespace facepipe::detector {
namespace {

constexpr int kStrides = 3;
constexpr std::int64_t kScoreValues = 1;
constexpr std::int64_t kBoxValues = 4;
constexpr std::int64_t kPointValues = 10;

/// Returns the number of values in each row of an output. Returns 0 if the output has no rows of
/// floats.
std::int64_t row_of(const onnx::ValueInfoProto& output) {
  const auto& tensor = output.type().tensor_type();
  const int rank = tensor.shape().dim_size();
  const bool rows = tensor.elem_type() == onnx::TensorProto::FLOAT && (rank == 2 || rank == 3);
  return rows ? tensor.shape().dim(rank - 1).dim_value() : 0;
}

/// Returns the number of outputs for each number of values in a row. The result is small, because
/// callers pass only graphs with six or nine outputs.
std::map<std::int64_t, int> rows_of(const onnx::GraphProto& graph) {
  std::map<std::int64_t, int> counts;
  for (const onnx::ValueInfoProto& output : graph.output()) ++counts[row_of(output)];
  return counts;
}

}  // namespace

std::optional<Card> recognised_scrfd(const onnx::ModelProto& model) {
  const int outputs = model.graph().output_size();
  const bool has_points = outputs == 3 * kStrides;
  if (!has_points && outputs != 2 * kStrides) return std::nullopt;
  std::map<std::int64_t, int> expected{{kScoreValues, kStrides}, {kBoxValues, kStrides}};
  if (has_points) expected[kPointValues] = kStrides;
  if (rows_of(model.graph()) != expected) return std::nullopt;
  constexpr std::array kMean{127.5F, 127.5F, 127.5F};
  constexpr std::array kDeviation{128.0F, 128.0F, 128.0F};
  // At this score, SCRFD-2.5G with its two looks finds one false positive in each picture of WIDER
  // FACE (docs/models.md).
  constexpr float kReferenceScore = 0.29F;
  // InsightFace suppresses with this threshold.
  constexpr float kNms = 0.4F;
  Card card;
  card.name = "scrfd";
  card.input.normalisation = {kMean, kDeviation};
  // The network misses large faces if it only sees pictures at their own size.
  card.input.looks = {1.0F, 0.5F};
  card.head.family = HeadFamily::scrfd;
  constexpr int kPoints = 5;
  card.head.points = has_points ? kPoints : 0;
  card.nms = kNms;
  card.reference_score = kReferenceScore;
  return card;
}

std::optional<Card> recognised_card(const onnx::ModelProto& model, const std::string& source) {
  if (auto card = recognised_ultralytics(model, source)) return card;
  return recognised_scrfd(model);
}

}  // namespace facepipe::detector
