#include "detector/cnn/model/graph/onnx_import.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "core/terminal_text.h"
#include "detector/cnn/model/graph/onnx_node.h"
#include "detector/cnn/model/graph/row_operator.h"
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

Operator concat(const OnnxNode& node, bool maps) {
  node.expect(1, kMostParts, {"axis"});
  const std::int64_t axis = node.integer("axis", 0);
  if (maps && axis == 1) return Concat{};
  return RowOperator{.type = "Concat", .axis = axis};
}

Operator split(const OnnxNode& node, bool maps) {
  const int outputs = node.proto().output_size();
  if (outputs < 1 || outputs > kMostParts) node.fail("has too many outputs, or none");
  node.expect(1, 2, {"axis", "split"}, outputs);
  const std::vector<std::int64_t> sizes =
      node.has_input(1) ? node.integers(1) : node.integers("split", {});
  if (sizes.size() != static_cast<std::size_t>(outputs)) node.fail("needs the size of each part");
  const std::int64_t axis = node.integer("axis", 0);
  if (!maps || axis != 1) return RowOperator{.type = "Split", .axis = axis, .numbers = sizes};
  Split result;
  for (const std::int64_t size : sizes) {
    if (size < 1 || size > kMostChannels) node.fail("has a part of an impossible size");
    result.channels.push_back(static_cast<int>(size));
  }
  return result;
}

/// Says what an operator on rows reads from its node.
struct RowRule {
  const char* type;
  int values = 1;            ///< number of inputs that are values, or weights that are used so
  const char* numbers = "";  ///< name of its list of integers: an attribute, or the next input
  std::int64_t axis = 0;     ///< default of the attribute "axis"
  std::vector<std::string_view> attributes{};
};

const RowRule* row_rule(const std::string& type) {
  static const std::vector<RowRule> kRules{
      {"Sub", 2},
      {"Div", 2},
      {"Mod", 2, "", 0, {"fmod"}},
      {"MatMul", 2},
      {"Exp"},
      {"Sqrt"},
      {"Floor"},
      {"Softmax", 1, "", -1, {"axis"}},
      {"Cast", 1, "", 0, {"to"}},
      {"Unsqueeze", 1, "axes", 0, {"axes"}},
      {"Squeeze", 1, "axes", 0, {"axes"}},
      {"Flatten", 1, "", 1, {"axis"}},
      {"Expand", 1, "shape"},
      {"Tile", 1, "repeats"},
      {"ReduceMax", 1, "axes", 0, {"axes", "keepdims"}},
      {"ArgMax", 1, "", 0, {"axis", "keepdims", "select_last_index"}},
      {"TopK", 1, "k", -1, {"axis", "largest", "sorted", "k"}},
      {"Gather", 2, "", 0, {"axis"}},
      {"GatherElements", 2, "", 0, {"axis"}},
      {"GatherND", 2, "", 0, {"batch_dims"}}};
  const auto found = std::ranges::find(kRules, type, &RowRule::type);
  return found == kRules.end() ? nullptr : &*found;
}

/// Reads a list that is an input, or an attribute in older operator sets.
std::vector<std::int64_t> integer_list(const OnnxNode& node, int input, const char* attribute) {
  if (node.has_input(input)) return node.integers(input);
  return node.integers(attribute, {});
}

Operator slice(const OnnxNode& node) {
  node.expect(1, 5, {"starts", "ends", "axes"});
  const std::vector<std::int64_t> begins = integer_list(node, 1, "starts");
  const std::vector<std::int64_t> ends = integer_list(node, 2, "ends");
  const std::vector<std::int64_t> axes = integer_list(node, 3, "axes");
  const std::vector<std::int64_t> steps = integer_list(node, 4, "steps");
  const auto fits = [&](const std::vector<std::int64_t>& list) {
    return list.empty() || list.size() == begins.size();
  };
  if (begins.empty() || ends.size() != begins.size() || !fits(axes) || !fits(steps))
    node.fail("needs a begin and an end for each axis");
  RowOperator result{.type = "Slice"};
  for (std::size_t i = 0; i < begins.size(); ++i)
    result.slices.push_back({axes.empty() ? static_cast<std::int64_t>(i) : axes[i], begins[i],
                             ends[i], steps.empty() ? 1 : steps[i]});
  return result;
}

/// Refuses attributes and inputs of an operator on rows whose meaning the rules don't know.
void check_row_node(const OnnxNode& node, const RowRule& rule) {
  const bool has_list = *rule.numbers != '\0';
  node.expect(rule.values, rule.values + (has_list ? 1 : 0), rule.attributes,
              rule.type == std::string_view("TopK") ? 2 : 1);
  node.expect_integer("fmod", 0);
  node.expect_integer("batch_dims", 0);
  node.expect_integer("select_last_index", 0);
}

Operator row_operator(const OnnxNode& node, const RowRule& rule) {
  check_row_node(node, rule);
  RowOperator result{.type = rule.type};
  result.axis = node.integer("axis", rule.axis);
  result.keeps = node.integer("keepdims", 1) != 0;
  if (*rule.numbers != '\0') {
    result.numbers = result.type == "TopK" && !node.has_input(1)
                         ? std::vector{node.integer("k", 0)}
                         : integer_list(node, rule.values, rule.numbers);
    if (result.numbers.empty()) node.fail("needs its " + std::string(rule.numbers));
  }
  if (result.type == "Cast") {
    const std::int64_t to = node.integer("to", 0);
    const bool known = to == onnx::TensorProto::FLOAT || to == onnx::TensorProto::INT64 ||
                       to == onnx::TensorProto::INT32;
    if (!known) node.fail("makes a type of numbers that is not supported");
    result.to_floats = to == onnx::TensorProto::FLOAT;
  }
  return result;
}

Operator sum_or_product(const OnnxNode& node, bool maps) {
  node.expect(2, 2, {});
  const std::string& type = node.proto().op_type();
  if (!maps) return RowOperator{.type = type};
  return type == "Add" ? Operator(Add{}) : Operator(Multiply{});
}

/// Returns the operator of a node. `maps` says whether all of its inputs are maps, and no weights.
Operator operator_of(const OnnxNode& node, bool maps) {
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
  if (type == "Concat") return concat(node, maps);
  if (type == "Split") return split(node, maps);
  if (type == "Add" || type == "Mul") return sum_or_product(node, maps);
  if (type == "LeakyRelu") {
    node.expect(1, 1, {"alpha"});
    return LeakyRelu{node.number("alpha", LeakyRelu{}.slope)};
  }
  if (type == "Relu" || type == "Sigmoid") {
    node.expect(1, 1, {});
    return Activate{type == "Relu" ? Activation::relu : Activation::sigmoid};
  }
  if (type == "Slice") return slice(node);
  if (const RowRule* const rule = row_rule(type)) return row_operator(node, *rule);
  node.fail("this operator is not supported");
}

/// Returns how many inputs are values, or weights that an operator on rows uses as values.
int value_inputs(const Operator& op, const onnx::NodeProto& node) {
  const std::string& type = node.op_type();
  if (type == "Add" || type == "Mul" || type == "Concat") return node.input_size();
  const RowRule* const rule = std::holds_alternative<RowOperator>(op) ? row_rule(type) : nullptr;
  return rule != nullptr ? rule->values : 1;
}

/// Returns the ranges of a tensor's integers: a range for each index of a short last axis, or one
/// range for all.
std::vector<IntegerRange> ranges_of(const std::vector<std::int64_t>& integers, std::int64_t last) {
  constexpr std::int64_t kMostRanges = 8;
  if (integers.empty()) return {};
  const std::size_t count =
      last >= 1 && last <= kMostRanges ? static_cast<std::size_t>(last) : std::size_t{1};
  std::vector<IntegerRange> ranges;
  for (std::size_t i = 0; i < integers.size(); ++i) {
    const IntegerRange one{integers[i], integers[i]};
    if (i < count) ranges.push_back(one);
    IntegerRange& range = ranges[i % count];
    range = joined(std::vector{range, one});
  }
  return ranges;
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
      maps_.insert(input.name());
    }
    if (ids_.empty()) fail("has no input");
  }

  void add_node(const onnx::NodeProto& proto) {
    const OnnxNode node(proto, constants_, graph_.source);
    Node result{node.name(), operator_of(node, reads_maps(proto)), {}, {}};
    const bool rows = std::holds_alternative<RowOperator>(result.op);
    for (int i = 0; i < value_inputs(result.op, proto); ++i) {
      auto found = ids_.find(proto.input(i));
      if (found == ids_.end() && rows && constants_.contains(proto.input(i)))
        found = add_weights(node, i);
      if (found == ids_.end())
        node.fail("nothing before it computes its input " + shown_name(proto.input(i)));
      result.inputs.push_back(found->second);
    }
    const bool maps = gives_maps(node, result);
    for (const std::string& output : proto.output()) {
      if (output.empty() || ids_.contains(output) || constants_.contains(output))
        node.fail("its output has no name, or the name of another value");
      result.outputs.push_back(ids_[output] = graph_.add_value(output));
      if (maps) maps_.insert(output);
    }
    graph_.nodes.push_back(std::move(result));
  }

  /// Returns whether all inputs of a node are maps.
  [[nodiscard]] bool reads_maps(const onnx::NodeProto& proto) const {
    const int count = proto.op_type() == "Split" ? 1 : proto.input_size();
    return std::all_of(proto.input().begin(),
                       proto.input().begin() + std::min(count, proto.input_size()),
                       [&](const std::string& name) { return maps_.contains(name); });
  }

  /// Returns whether the results of a node are maps, or can be maps as far as the file says.
  [[nodiscard]] bool gives_maps(const OnnxNode& node, const Node& result) const {
    constexpr std::size_t kMapRank = 4;
    if (const auto* const reshape = std::get_if<Reshape>(&result.op))
      return reshape->extents.size() == kMapRank;
    const bool keeps_axes = std::holds_alternative<Transpose>(result.op) ||
                            std::holds_alternative<Activate>(result.op) ||
                            std::holds_alternative<LeakyRelu>(result.op);
    if (keeps_axes) return maps_.contains(node.proto().input(0));
    const auto* const rows = std::get_if<RowOperator>(&result.op);
    if (rows == nullptr) return true;
    // Attention is computed with values of four axes.
    static constexpr std::array kKeepAxes{"Split", "Concat", "MatMul", "Softmax", "Add", "Mul"};
    return std::ranges::find(kKeepAxes, rows->type) != kKeepAxes.end() &&
           maps_.contains(node.proto().input(0));
  }

  /// Makes a value of weights that an operator on rows reads.
  std::map<std::string, ValueId>::iterator add_weights(const OnnxNode& node, int input) {
    const std::string& name = node.proto().input(input);
    const onnx::TensorProto& tensor = *constants_.at(name);
    const ValueId id = graph_.add_value(name);
    Value& value = graph_.value(id);
    value.extents = node.extents(input);
    if (tensor.data_type() == onnx::TensorProto::INT64) {
      const auto count = std::accumulate(value.extents.begin(), value.extents.end(),
                                         std::int64_t{1}, std::multiplies<>());
      value.integers = ranges_of(values_of<std::int64_t>(tensor, count),
                                 value.extents.empty() ? 1 : value.extents.back());
    }
    return ids_.emplace(name, id).first;
  }

  const onnx::GraphProto& proto_;
  Constants constants_;
  std::map<std::string, ValueId> ids_;
  std::set<std::string> maps_;  ///< names of values that are maps
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
