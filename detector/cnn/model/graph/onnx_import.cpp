#include "detector/cnn/model/graph/onnx_import.h"

#include <cmath>

#include "core/terminal_text.h"
#include "detector/cnn/model/graph/onnx_node.h"
#include "detector/model_file.h"

namespace facepipe::detector::graph {
namespace {

constexpr std::int64_t kMostChannels = 1 << 16;
constexpr int kMostParts = 256;  // largest number of joined inputs, or of parts of a map

std::vector<float> bias_of(const OnnxNode& node, std::int64_t outputs) {
  std::vector<float> zeros(static_cast<std::size_t>(outputs), 0.0F);
  return node.has_input(2) ? node.floats(2, outputs) : zeros;
}

/// Returns the extents of a convolution's weights. Refuses extents that are too large.
std::vector<std::int64_t> kernel_extents(const OnnxNode& node) {
  std::vector<std::int64_t> extents = node.extents(1);
  if (extents.size() != 4) node.fail("its weights don't have four dimensions");
  if (extents[0] > kMostChannels || extents[1] > kMostChannels) node.fail("has too many channels");
  return extents;
}

Operator convolution(const OnnxNode& node) {
  node.expect(2, 3, {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"});
  const std::vector<std::int64_t> extents = kernel_extents(node);
  const std::int64_t groups = node.integer("group", 1);
  if (groups < 1 || groups > kMostChannels || extents[0] % groups != 0 ||
      extents[1] * groups > kMostChannels)
    node.fail("its groups are not supported");
  Convolution result;
  result.window = node.window(std::vector{extents[2], extents[3]});
  result.outputs = static_cast<int>(extents[0]);
  result.inputs = static_cast<int>(extents[1] * groups);
  result.groups = static_cast<int>(groups);
  result.weights = node.floats(1);
  result.bias = bias_of(node, extents[0]);
  return result;
}

Operator transposed_convolution(const OnnxNode& node) {
  node.expect(
      2, 3,
      {"auto_pad", "dilations", "group", "kernel_shape", "output_padding", "pads", "strides"});
  const std::vector<std::int64_t> extents = kernel_extents(node);
  node.expect_integer("group", 1);
  node.expect_integers("output_padding", 0);
  const Window window = node.window(std::vector{extents[2], extents[3]});
  const int factor = window.kernel_height;
  if (window != Window{factor, factor, factor, factor, 0, 0, 0, 0})
    node.fail("only a kernel that equals the stride, without padding, is supported");
  TransposedConvolution result;
  result.factor = factor;
  result.inputs = static_cast<int>(extents[0]);
  result.outputs = static_cast<int>(extents[1]);
  result.weights = node.floats(1);
  result.bias = bias_of(node, extents[1]);
  return result;
}

Operator batch_normalization(const OnnxNode& node) {
  node.expect(5, 5, {"epsilon", "momentum", "training_mode", "spatial"});
  node.expect_integer("training_mode", 0);
  node.expect_integer("spatial", 1);
  const std::vector<float> gamma = node.floats(1);
  const auto channels = static_cast<std::int64_t>(gamma.size());
  const std::vector<float> beta = node.floats(2, channels);
  const std::vector<float> mean = node.floats(3, channels);
  const std::vector<float> variance = node.floats(4, channels);
  const double epsilon = node.number("epsilon", 1e-5F);
  BatchNormalization result;
  for (std::size_t c = 0; c < gamma.size(); ++c) {
    const double scale = gamma[c] / std::sqrt(variance[c] + epsilon);
    result.scale.push_back(static_cast<float>(scale));
    result.shift.push_back(static_cast<float>(beta[c] - scale * mean[c]));
  }
  return result;
}

Operator max_pool(const OnnxNode& node) {
  node.expect(
      1, 1,
      {"auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"});
  node.expect_integer("ceil_mode", 0);
  return MaxPool{node.window(std::nullopt)};
}

Operator resize(const OnnxNode& node) {
  node.expect(2, 3, {"coordinate_transformation_mode", "cubic_coeff_a", "mode", "nearest_mode"});
  node.expect_text("mode", "nearest");
  if (node.proto().input_size() == 3) {  // opset 11 and later have three inputs
    if (node.text("coordinate_transformation_mode", "half_pixel") != "asymmetric" ||
        node.text("nearest_mode", "round_prefer_floor") != "floor")
      node.fail("only asymmetric coordinates rounded down are supported");
  }
  const std::vector<float> scales = node.floats(node.proto().input_size() - 1, 4);
  const float factor = scales[3];
  constexpr float kLargestFactor = 16;
  const bool whole = factor >= 1 && factor <= kLargestFactor && factor == std::floor(factor);
  if (!whole || scales != std::vector<float>{1, 1, factor, factor})
    node.fail("only a whole factor on both axes is supported");
  return Upsample{static_cast<int>(factor)};
}

Operator transpose(const OnnxNode& node) {
  node.expect(1, 1, {"perm"});
  const std::vector<std::int64_t> order = node.integers("perm", {});
  if (order.empty() || order.size() > 4) node.fail("needs an order of at most four axes");
  Transpose result;
  for (const std::int64_t axis : order) {
    if (axis < 0 || axis > 3) node.fail("needs an order of at most four axes");
    result.order.push_back(static_cast<int>(axis));
  }
  return result;
}

Operator reshape(const OnnxNode& node) {
  node.expect(2, 2, {"allowzero"});
  node.expect_integer("allowzero", 0);
  return Reshape{node.integers(1)};
}

Operator concat(const OnnxNode& node) {
  node.expect(1, kMostParts, {"axis"});
  if (node.integer("axis", 0) != 1) node.fail("only channels can be joined");
  return Concat{};
}

Operator split(const OnnxNode& node) {
  const int outputs = node.proto().output_size();
  if (outputs < 1 || outputs > kMostParts) node.fail("has too many outputs, or none");
  node.expect(1, 2, {"axis", "split"}, outputs);
  if (node.integer("axis", 0) != 1) node.fail("only channels can be split");
  const std::vector<std::int64_t> sizes =
      node.has_input(1) ? node.integers(1) : node.integers("split", {});
  if (sizes.size() != static_cast<std::size_t>(outputs)) node.fail("needs the size of each part");
  Split result;
  for (const std::int64_t size : sizes) {
    if (size < 1 || size > kMostChannels) node.fail("has a part of an impossible size");
    result.channels.push_back(static_cast<int>(size));
  }
  return result;
}

Operator operator_of(const OnnxNode& node) {
  const std::string& type = node.proto().op_type();
  if (!node.proto().domain().empty() && node.proto().domain() != "ai.onnx")
    node.fail("operators of domain " + node.proto().domain() + " are not supported");
  if (type == "Conv") return convolution(node);
  if (type == "ConvTranspose") return transposed_convolution(node);
  if (type == "BatchNormalization") return batch_normalization(node);
  if (type == "MaxPool") return max_pool(node);
  if (type == "Resize") return resize(node);
  if (type == "Transpose") return transpose(node);
  if (type == "Reshape") return reshape(node);
  if (type == "Concat") return concat(node);
  if (type == "Split") return split(node);
  if (type == "Add" || type == "Mul") {
    node.expect(2, 2, {});
    return type == "Add" ? Operator(Add{}) : Operator(Multiply{});
  }
  if (type == "LeakyRelu") {
    node.expect(1, 1, {"alpha"});
    return LeakyRelu{node.number("alpha", LeakyRelu{}.slope)};
  }
  if (type == "Relu" || type == "Sigmoid") {
    node.expect(1, 1, {});
    return Activate{type == "Relu" ? Activation::relu : Activation::sigmoid};
  }
  node.fail("this operator is not supported");
}

/// Returns how many inputs are values and not weights.
int value_inputs(const Operator& op, const onnx::NodeProto& node) {
  const bool takes_values = std::holds_alternative<Add>(op) ||
                            std::holds_alternative<Multiply>(op) ||
                            std::holds_alternative<Concat>(op);
  return takes_values ? node.input_size() : 1;
}

class Import {
 public:
  Import(const onnx::GraphProto& proto, const std::string& source) : proto_(proto) {
    graph_.source = source;
    for (const onnx::TensorProto& tensor : proto.initializer()) constants_[tensor.name()] = &tensor;
  }

  Graph run() {
    add_input();
    if (proto_.node_size() > kMostNodes) fail("more than " + std::to_string(kMostNodes) + " nodes");
    for (const onnx::NodeProto& node : proto_.node()) add_node(node);
    for (const onnx::ValueInfoProto& output : proto_.output()) {
      const auto found = ids_.find(output.name());
      if (found == ids_.end()) fail("nothing computes its output " + shown_name(output.name()));
      graph_.outputs.push_back({output.name(), found->second, OutputLayout::as_computed});
    }
    return std::move(graph_);
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const { refuse_model(graph_.source, reason); }

  void add_input() {
    for (const onnx::ValueInfoProto& input : proto_.input()) {
      if (constants_.contains(input.name())) continue;  // old files list their weights here, too
      if (!ids_.empty()) fail("has more than one input");
      graph_.input = ids_[input.name()] = graph_.add_value(input.name());
    }
    if (ids_.empty()) fail("has no input");
  }

  void add_node(const onnx::NodeProto& proto) {
    const OnnxNode node(proto, constants_, graph_.source);
    Node result{node.name(), operator_of(node), {}, {}};
    for (int i = 0; i < value_inputs(result.op, proto); ++i) {
      const auto found = ids_.find(proto.input(i));
      if (found == ids_.end())
        node.fail("nothing before it computes its input " + shown_name(proto.input(i)));
      result.inputs.push_back(found->second);
    }
    for (const std::string& output : proto.output()) {
      if (output.empty() || ids_.contains(output) || constants_.contains(output))
        node.fail("its output has no name, or the name of another value");
      result.outputs.push_back(ids_[output] = graph_.add_value(output));
    }
    graph_.nodes.push_back(std::move(result));
  }

  const onnx::GraphProto& proto_;
  Constants constants_;
  std::map<std::string, ValueId> ids_;
  Graph graph_;
};

}  // namespace

Graph import_onnx(const std::string& bytes, const std::string& source) {
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes) || !model.has_graph())
    refuse_model(source, "not an ONNX model");
  return import_onnx(model, source);
}

Graph import_onnx(const onnx::ModelProto& model, const std::string& source) {
  return Import(model.graph(), source).run();
}

}  // namespace facepipe::detector::graph
