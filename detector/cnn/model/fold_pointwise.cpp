#include "detector/cnn/model/fold_pointwise.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace facepipe::detector {
namespace {

constexpr std::int64_t kMostChannels = 1 << 16;

/// Weights of a 1x1 convolution: a matrix of outputs x inputs, and a bias for each output.
struct Pointwise {
  std::int64_t outputs = 0;
  std::int64_t inputs = 0;
  std::vector<float> weights;
  std::vector<float> bias;

  [[nodiscard]] float at(std::int64_t output, std::int64_t input) const {
    return weights[static_cast<std::size_t>(output * inputs + input)];
  }
};

/// Tensors by name, and how many inputs and outputs read each value of the graph.
struct Index {
  explicit Index(const onnx::GraphProto& graph) {
    for (const onnx::TensorProto& tensor : graph.initializer()) tensors[tensor.name()] = &tensor;
    for (const onnx::NodeProto& node : graph.node())
      for (const std::string& input : node.input()) ++readers[input];
    for (const onnx::ValueInfoProto& output : graph.output()) ++readers[output.name()];
  }
  [[nodiscard]] int reads_of(const std::string& name) const {
    const auto found = readers.find(name);
    return found == readers.end() ? 0 : found->second;
  }

  std::map<std::string, const onnx::TensorProto*> tensors;
  std::map<std::string, int> readers;
};

std::optional<std::vector<float>> floats_of(const Index& index, const std::string& name,
                                            std::int64_t count) {
  const auto found = index.tensors.find(name);
  if (found == index.tensors.end()) return std::nullopt;
  const onnx::TensorProto& tensor = *found->second;
  if (tensor.data_type() != onnx::TensorProto::FLOAT || count <= 0) return std::nullopt;
  std::vector<float> values(static_cast<std::size_t>(count));
  if (tensor.raw_data().size() == values.size() * sizeof(float))
    std::memcpy(values.data(), tensor.raw_data().data(), tensor.raw_data().size());
  else if (tensor.float_data_size() == static_cast<int>(values.size()))
    std::copy(tensor.float_data().begin(), tensor.float_data().end(), values.begin());
  else
    return std::nullopt;
  return values;
}

/// Tells whether every number of an attribute is `value`. An attribute that is not there has ONNX's
/// default, and counts as `value`.
bool all_are(const onnx::NodeProto& node, std::string_view name, std::int64_t value) {
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.name() != name) continue;
    const auto same = [value](std::int64_t number) { return number == value; };
    return attribute.has_i() ? attribute.i() == value
                             : std::all_of(attribute.ints().begin(), attribute.ints().end(), same);
  }
  return true;
}

/// `any_stride` allows strides. Only the second convolution of a pair may skip pixels.
std::optional<Pointwise> pointwise_of(const Index& index, const onnx::NodeProto& node,
                                      bool any_stride) {
  if (node.op_type() != "Conv" || node.input_size() < 2 || node.output_size() != 1)
    return std::nullopt;
  const auto found = index.tensors.find(node.input(1));
  if (found == index.tensors.end()) return std::nullopt;
  const auto& dims = found->second->dims();
  if (dims.size() != 4 || dims[2] != 1 || dims[3] != 1) return std::nullopt;
  const bool plain = all_are(node, "group", 1) && all_are(node, "pads", 0) &&
                     (any_stride || all_are(node, "strides", 1));
  if (!plain) return std::nullopt;
  Pointwise result{dims[0], dims[1], {}, {}};
  const auto sane = [](std::int64_t count) { return count > 0 && count <= kMostChannels; };
  if (!sane(result.outputs) || !sane(result.inputs)) return std::nullopt;
  auto weights = floats_of(index, node.input(1), result.outputs * result.inputs);
  auto bias = node.input_size() > 2
                  ? floats_of(index, node.input(2), result.outputs)
                  : std::vector<float>(static_cast<std::size_t>(result.outputs), 0.0F);
  if (!weights || !bias) return std::nullopt;
  result.weights = std::move(*weights);
  result.bias = std::move(*bias);
  return result;
}

/// Returns second(first(x)) as one convolution. Sums are computed in double, so that only the last
/// rounding changes the result.
Pointwise product(const Pointwise& first, const Pointwise& second) {
  Pointwise result{second.outputs, first.inputs, {}, {}};
  for (std::int64_t o = 0; o < second.outputs; ++o) {
    std::vector<double> row(static_cast<std::size_t>(first.inputs), 0.0);
    double bias = second.bias[static_cast<std::size_t>(o)];
    for (std::int64_t m = 0; m < first.outputs; ++m) {
      const double factor = second.at(o, m);
      bias += factor * first.bias[static_cast<std::size_t>(m)];
      for (std::int64_t i = 0; i < first.inputs; ++i)
        row[static_cast<std::size_t>(i)] += factor * first.at(m, i);
    }
    for (const double value : row) result.weights.push_back(static_cast<float>(value));
    result.bias.push_back(static_cast<float>(bias));
  }
  return result;
}

bool saves_work(const Pointwise& first, const Pointwise& second) {
  return second.outputs * first.inputs <
         first.outputs * first.inputs + second.outputs * second.inputs;
}

std::string add_tensor(onnx::GraphProto& graph, const std::string& name,
                       const std::vector<std::int64_t>& dims, const std::vector<float>& values) {
  onnx::TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t dim : dims) tensor.add_dims(dim);
  tensor.set_raw_data(values.data(), values.size() * sizeof(float));
  return name;
}

void write_product(onnx::GraphProto& graph, const onnx::NodeProto& first, onnx::NodeProto& second,
                   const Pointwise& weights) {
  const std::string stem = second.output(0) + ".folded";
  second.clear_input();
  second.add_input(first.input(0));
  second.add_input(add_tensor(graph, stem + ".weight", {weights.outputs, weights.inputs, 1, 1},
                              weights.weights));
  second.add_input(add_tensor(graph, stem + ".bias", {weights.outputs}, weights.bias));
}

/// Folds the first pair that it finds.
bool fold_one(onnx::GraphProto& graph) {
  const Index index(graph);
  for (int f = 0; f < graph.node_size(); ++f) {
    const onnx::NodeProto& first = graph.node(f);
    const auto inner = pointwise_of(index, first, false);
    if (!inner || index.reads_of(first.output(0)) != 1) continue;
    for (int s = 0; s < graph.node_size(); ++s) {
      if (graph.node(s).input_size() < 2 || graph.node(s).input(0) != first.output(0)) continue;
      const auto outer = pointwise_of(index, graph.node(s), true);
      if (!outer || outer->inputs != inner->outputs || !saves_work(*inner, *outer)) continue;
      write_product(graph, first, *graph.mutable_node(s), product(*inner, *outer));
      graph.mutable_node()->DeleteSubrange(f, 1);
      return true;
    }
  }
  return false;
}

}  // namespace

int fold_pointwise_pairs(onnx::GraphProto& graph) {
  int folded = 0;
  while (fold_one(graph)) ++folded;
  return folded;
}

}  // namespace facepipe::detector
