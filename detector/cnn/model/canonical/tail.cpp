#include "detector/cnn/model/canonical/tail.h"

#include <algorithm>
#include <unordered_set>

#include "core/terminal_text.h"
#include "detector/cnn/model/canonical/symbolic_shapes.h"

namespace facepipe::detector {
namespace {

// This is enough for five strides with several maps each.
constexpr std::size_t kMostMaps = 32;

void set_outputs(onnx::GraphProto& graph, const std::vector<LastMap>& maps) {
  graph.clear_output();
  for (const LastMap& map : maps) {
    onnx::ValueInfoProto& output = *graph.add_output();
    output.set_name(map.name);
    output.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  }
}

/// Follows each output back to the convolutions whose values it arranges.
class ArrangementCutter {
 public:
  explicit ArrangementCutter(const Rewriting& of)
      : of_(of), graph_(of.graph()), shapes_(of), index_(of.graph()) {}

  std::vector<LastMap> run() {
    for (const onnx::ValueInfoProto& output : graph_.output()) follow({output.name(), {}, false});
    return std::move(maps_);
  }

 private:
  /// Describes a value on the path back from an output.
  struct Step {
    std::string value;
    LastMap map;
    bool as_rows;  ///< whether the path has passed a Transpose
  };

  /// Follows all inputs of a Concat, so the steps wait in a list. The code takes the steps in the
  /// order of the inputs.
  void follow(Step output) {
    std::vector<Step> waiting{std::move(output)};
    while (!waiting.empty()) {
      const Step step = std::move(waiting.back());
      waiting.pop_back();
      const int n = index_.producer(step.value);
      if (n < 0) of_.fail("nothing computes its output " + shown_name(step.value));
      const graph::OnnxNode node(graph_.node(n), index_.weights(), of_.source());
      // The code follows each value only once, so that the time doesn't grow with the square of the
      // file's size.
      if (!passed_.insert(step.value).second) node.fail("its outputs hold it twice");
      if (node.proto().op_type() == "Conv") {
        end(node, step);
        continue;
      }
      for (int i = inputs_to_follow(node); i-- > 0;) waiting.push_back(before(node, step, i));
    }
  }

  [[nodiscard]] static int inputs_to_follow(const graph::OnnxNode& node) {
    if (node.proto().input_size() < 1 || node.proto().output_size() != 1) refuse(node);
    return node.proto().op_type() == "Concat" ? node.proto().input_size() : 1;
  }

  [[nodiscard]] Step before(const graph::OnnxNode& node, Step step, int input) const {
    const std::string& type = node.proto().op_type();
    if (type == "Sigmoid") {
      if (step.map.sigmoid) node.fail("isn't the only activation");
      step.map.sigmoid = true;
    } else if (type == "Reshape") {
      if (step.map.values == 0) step.map.values = row_of(node);
    } else if (type == "Transpose") {
      // The second order also moves the axis of pictures. This changes nothing, because there is
      // only one picture.
      const std::vector<std::int64_t> order = node.integers("perm", {});
      const bool to_cells = order == std::vector<std::int64_t>{0, 2, 3, 1} ||
                            order == std::vector<std::int64_t>{2, 3, 0, 1};
      if (!to_cells || step.as_rows) node.fail("its outputs are not rows of a map's channels");
      step.as_rows = true;
    } else if (type != "Concat") {
      refuse(node);
    }
    step.value = node.proto().input(input);
    return step;
  }

  [[noreturn]] static void refuse(const graph::OnnxNode& node) {
    node.fail("stands between the last convolutions and the outputs, and is not supported there");
  }

  /// Returns the number of values in a row that a Reshape makes.
  [[nodiscard]] std::int64_t row_of(const graph::OnnxNode& node) const {
    const SizeExtents* const extents = shapes_.extents(node.proto().output(0));
    const auto row =
        extents != nullptr && !extents->empty() ? extents->back().integer() : std::nullopt;
    if (!row) node.fail("it isn't known how many values are in a row of its output");
    return *row;
  }

  void end(const graph::OnnxNode& node, Step step) {
    if (step.as_rows != (step.map.values > 0))
      node.fail("its outputs are not rows of a map's channels");
    if (maps_.size() == kMostMaps) of_.fail("has too many outputs");
    step.map.name = step.value;
    maps_.push_back(std::move(step.map));
  }

  const Rewriting& of_;
  const onnx::GraphProto& graph_;
  SymbolicShapes shapes_;
  OnnxIndex index_;
  std::unordered_set<std::string> passed_;
  std::vector<LastMap> maps_;
};

/// Returns whether a node is a convolution that belongs to the body of a network.
bool ends_body(const onnx::GraphProto& graph, const OnnxIndex& index, const onnx::NodeProto& node) {
  if (node.op_type() == "ConvTranspose") return true;
  if (node.op_type() != "Conv" || node.input_size() < 1) return false;
  const int before = index.producer(node.input(0));
  return before < 0 || graph.node(before).op_type() != "Softmax";
}

}  // namespace

std::vector<LastMap> cut_arrangement(Rewriting& to) {
  std::vector<LastMap> maps = ArrangementCutter(to).run();
  set_outputs(to.graph(), maps);
  return maps;
}

std::vector<LastMap> cut_decoding(Rewriting& to) {
  const onnx::GraphProto& graph = to.graph();
  const OnnxIndex index(graph);
  std::unordered_set<std::string> read;
  for (const onnx::ValueInfoProto& output : graph.output()) read.insert(output.name());
  std::vector<LastMap> maps;
  for (int n = graph.node_size() - 1; n >= 0; --n) {
    const onnx::NodeProto& node = graph.node(n);
    const bool needed = std::any_of(node.output().begin(), node.output().end(),
                                    [&](const std::string& name) { return read.contains(name); });
    // Shape reads only the extents of its input. The outputs don't need the values of this input.
    if (!needed || node.op_type() == "Shape") continue;
    if (ends_body(graph, index, node))
      maps.push_back({node.output(0), 0, false});
    else
      read.insert(node.input().begin(), node.input().end());
  }
  if (maps.empty()) to.fail("no convolution leads to its outputs");
  if (maps.size() > kMostMaps) to.fail("has too many outputs");
  std::reverse(maps.begin(), maps.end());
  set_outputs(to.graph(), maps);
  return maps;
}

}  // namespace facepipe::detector
