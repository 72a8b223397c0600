#include "detector/cnn/model/canonical/suppressions.h"

#include <onnx/onnx_pb.h>

#include <algorithm>

#include "detector/cnn/model/canonical/passes.h"
#include "detector/cnn/model/graph/onnx_check.h"

namespace facepipe::detector {
namespace {

constexpr std::int64_t kMostListed = std::int64_t{1} << 20;

struct Amounts {
  std::int64_t boxes = 0;
  std::int64_t classes = 0;
};

void add_output(onnx::GraphProto& graph, const std::string& name) {
  onnx::ValueInfoProto& output = *graph.add_output();
  output.set_name(name);
  output.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
}

/// Checks the network that ends before a NonMaxSuppression. Returns how many boxes and classes this
/// node reads.
Amounts amounts_of(const graph::OnnxNode& node, const onnx::ModelProto& model,
                   const std::string& source, Size size) {
  onnx::ModelProto before = model;
  before.mutable_graph()->clear_output();
  for (int i = 0; i < 2; ++i) {
    if (!node.has_input(i)) node.fail("lacks an input");
    add_output(*before.mutable_graph(), node.proto().input(i));
  }
  Rewriting to(before, source);
  drop_unread(to);
  const graph::Graph graph = graph::check_onnx(before, source, size);
  const auto& boxes = graph.value(graph.outputs.at(0).value);
  const auto& scores = graph.value(graph.outputs.at(1).value);
  const bool fits = boxes.extents.size() == 3 && scores.extents.size() == 3 &&
                    boxes.extents[0] == 1 && scores.extents[0] == 1 && boxes.extents[2] == 4 &&
                    scores.extents[2] == boxes.extents[1];
  if (!fits) node.fail("its inputs aren't the boxes and the scores of one picture");
  return {boxes.extents[1], scores.extents[1]};
}

/// Returns the list: for each wanted class and each box the numbers of the picture, which is 0, of
/// the class and of the box.
std::vector<std::int64_t> all_boxes(const Amounts& amounts, const std::vector<int>& wanted) {
  std::vector<std::int64_t> list;
  for (const int its_class : amounts.classes == 1 ? std::vector{0} : wanted)
    for (std::int64_t box = 0; box < amounts.boxes && its_class < amounts.classes; ++box)
      list.insert(list.end(), {0, its_class, box});
  return list;
}

}  // namespace

void list_all_boxes(onnx::ModelProto& model, const std::string& source, Size size,
                    const std::vector<int>& wanted) {
  Rewriting to(model, source);
  onnx::GraphProto& graph = to.graph();
  NewNames names;
  std::vector<bool> kept;
  for (int n = 0; n < graph.node_size(); ++n) {
    onnx::NodeProto& proto = *graph.mutable_node(n);
    for (std::string& input : *proto.mutable_input()) rename(input, names);
    kept.push_back(proto.op_type() != "NonMaxSuppression" || proto.output_size() != 1);
    if (kept.back()) continue;
    if (!names.empty()) to.fail("has more than one NonMaxSuppression");
    const OnnxIndex index(graph);
    const graph::OnnxNode node(proto, index.weights(), source);
    const Amounts amounts = amounts_of(node, model, source, size);
    const auto classes = static_cast<std::int64_t>(wanted.size());
    if (amounts.boxes * std::max<std::int64_t>(classes, 1) > kMostListed)
      node.fail("would give more than " + std::to_string(kMostListed) + " boxes");
    const std::vector<std::int64_t> list = all_boxes(amounts, wanted);
    if (list.empty()) node.fail("scores none of the classes that are looked for");
    names[proto.output(0)] = to.add_weights(proto.output(0) + ".all",
                                            {static_cast<std::int64_t>(list.size()) / 3, 3}, list);
  }
  keep_nodes(graph, kept);
  drop_unread(to);
}

}  // namespace facepipe::detector
