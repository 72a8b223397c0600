#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "detector/cnn/model/canonical/passes.h"

namespace facepipe::detector {
namespace {

using onnx::TensorProto;

/// Returns the number that the bits of an IEEE binary16 represent.
float widened(std::uint16_t half) {
  constexpr int kFractionBits = 10;
  constexpr std::uint32_t kFraction = (1U << kFractionBits) - 1;
  constexpr std::uint32_t kSpecial = 31;  // the exponent of infinities and NaNs
  const std::uint32_t sign = static_cast<std::uint32_t>(half >> 15U) << 31U;
  const std::uint32_t exponent = (half >> static_cast<unsigned>(kFractionBits)) & kSpecial;
  const std::uint32_t fraction = half & kFraction;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  constexpr std::uint32_t kBiasDifference = 127 - 15;
  constexpr std::uint32_t kWideSpecial = 255;
  const std::uint32_t wide = exponent == kSpecial ? kWideSpecial : exponent + kBiasDifference;
  return std::bit_cast<float>(sign | wide << 23U | fraction << 13U);
}

/// Returns the values of f16 weights, which graph::check_parts() has checked.
std::vector<float> values_of_half(const TensorProto& tensor) {
  std::vector<float> values;
  if (tensor.raw_data().empty()) {
    for (const std::int32_t bits : tensor.int32_data())
      values.push_back(widened(static_cast<std::uint16_t>(bits)));
    return values;
  }
  values.resize(tensor.raw_data().size() / sizeof(std::uint16_t));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, tensor.raw_data().data() + i * sizeof bits, sizeof bits);
    values[i] = widened(bits);
  }
  return values;
}

/// Replaces f16 weights by equal f32 weights.
void widen(TensorProto& tensor, const std::string& name) {
  const std::vector<float> values = values_of_half(tensor);
  tensor.clear_int32_data();
  tensor.set_name(name);
  tensor.set_data_type(TensorProto::FLOAT);
  tensor.set_raw_data(values.data(), values.size() * sizeof(float));
}

bool casts_to_float(const onnx::NodeProto& node) {
  if (node.op_type() != "Cast" || node.input_size() != 1 || node.output_size() != 1 ||
      node.attribute_size() != 1)
    return false;
  const onnx::AttributeProto& to = node.attribute(0);
  return to.name() == "to" && to.type() == onnx::AttributeProto::INT &&
         to.i() == TensorProto::FLOAT;
}

/// Finds out which nodes can be folded, and which weights they read.
class Casts {
 public:
  explicit Casts(const onnx::GraphProto& graph) : index_(graph) {
    for (const onnx::NodeProto& node : graph.node())
      if (folds(node)) ++casts_of_[node.input(0)];
  }

  /// Returns whether the node reads f16 weights that no other kind of node reads.
  [[nodiscard]] bool can_be_folded(const onnx::NodeProto& node) const {
    return folds(node) && casts_of_.at(node.input(0)) == index_.reads_of(node.input(0));
  }

 private:
  [[nodiscard]] bool folds(const onnx::NodeProto& node) const {
    if (!casts_to_float(node) || index_.is_output(node.output(0))) return false;
    const TensorProto* const weights = index_.weights(node.input(0));
    return weights != nullptr && weights->data_type() == TensorProto::FLOAT16;
  }

  OnnxIndex index_;
  std::unordered_map<std::string, int> casts_of_;  // number of Casts that read these weights
};

/// Replaces the f16 weights of these names by f32 weights. Old files also list weights as inputs.
void replace_weights(onnx::GraphProto& graph, const NewNames& wide) {
  for (TensorProto& tensor : *graph.mutable_initializer())
    if (const auto found = wide.find(tensor.name()); found != wide.end())
      widen(tensor, found->second);
  auto& inputs = *graph.mutable_input();
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                              [&](const auto& input) { return wide.contains(input.name()); }),
               inputs.end());
}

}  // namespace

void widen_half_weights(Rewriting& to) {
  onnx::GraphProto& graph = to.graph();
  const Casts casts(graph);
  // Each tensor is widened once, however many nodes cast it. Otherwise a small file could become a
  // large one.
  NewNames wide;  // the f16 weights, and the result of their first Cast
  NewNames same;  // the results of the other Casts of the same weights, and the result of the first
  std::vector<bool> kept(static_cast<std::size_t>(graph.node_size()), true);
  for (int n = 0; n < graph.node_size(); ++n) {
    const onnx::NodeProto& node = graph.node(n);
    if (!casts.can_be_folded(node)) continue;
    const auto [first, is_first] = wide.emplace(node.input(0), node.output(0));
    if (!is_first) same.emplace(node.output(0), first->second);
    kept[static_cast<std::size_t>(n)] = false;
  }
  keep_nodes(graph, kept);
  for (onnx::NodeProto& node : *graph.mutable_node())
    for (std::string& input : *node.mutable_input()) rename(input, same);
  replace_weights(graph, wide);
}

}  // namespace facepipe::detector
