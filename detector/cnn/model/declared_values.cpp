#include "detector/cnn/model/declared_values.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "core/terminal_text.h"
#include "detector/model_file.h"

namespace facepipe::detector {
namespace {

constexpr std::size_t kMostListed = 32;
constexpr int kMostExtents = 8;

std::string extent_text(const onnx::TensorShapeProto::Dimension& extent) {
  if (extent.has_dim_value()) return std::to_string(extent.dim_value());
  return extent.dim_param().empty() ? "?" : shown_name(extent.dim_param());
}

std::string type_text(const onnx::TypeProto& type) {
  if (!type.has_tensor_type()) return "no tensor";
  const onnx::TypeProto::Tensor& tensor = type.tensor_type();
  std::string text = "unknown numbers";
  if (onnx::TensorProto::DataType_IsValid(tensor.elem_type()))
    text = onnx::TensorProto::DataType_Name(
        static_cast<onnx::TensorProto::DataType>(tensor.elem_type()));
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  if (!tensor.has_shape()) return text + " of unknown shape";
  const int rank = tensor.shape().dim_size();
  if (rank == 0) return text;
  for (int i = 0; i < std::min(rank, kMostExtents); ++i)
    text += (i == 0 ? " of " : " x ") + extent_text(tensor.shape().dim(i));
  return text + (rank > kMostExtents ? " x ..." : "");
}

/// Adds a value to the list, or counts it if the list is full.
void add(const onnx::ValueInfoProto& value, std::vector<DeclaredValue>& to, std::size_t& left_out) {
  if (to.size() < kMostListed)
    to.push_back({shown_name(value.name()), type_text(value.type())});
  else
    ++left_out;
}

}  // namespace

std::optional<DeclaredValues> declared_values(const std::filesystem::path& file) {
  onnx::ModelProto model;
  if (!model.ParseFromString(read_model_file(file)) || model.graph().node_size() == 0)
    return std::nullopt;
  const onnx::GraphProto& graph = model.graph();
  std::set<std::string_view> weights;  // old files list them as inputs, too
  for (const onnx::TensorProto& tensor : graph.initializer()) weights.insert(tensor.name());
  DeclaredValues values;
  for (const onnx::ValueInfoProto& input : graph.input())
    if (!weights.contains(input.name())) add(input, values.inputs, values.left_out);
  for (const onnx::ValueInfoProto& output : graph.output())
    add(output, values.outputs, values.left_out);
  return values;
}

}  // namespace facepipe::detector
