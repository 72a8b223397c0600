#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "detector/cnn/model/canonical/passes.h"

namespace facepipe::detector {
namespace {

using NameSet = std::unordered_set<std::string>;

void erase_unread_nodes(onnx::GraphProto& graph, NameSet& read) {
  std::vector<bool> kept(static_cast<std::size_t>(graph.node_size()));
  for (int n = graph.node_size() - 1; n >= 0; --n) {
    const onnx::NodeProto& node = graph.node(n);
    const bool needed =
        std::any_of(node.output().begin(), node.output().end(),
                    [&](const std::string& name) { return !name.empty() && read.contains(name); });
    kept[static_cast<std::size_t>(n)] = needed;
    if (needed) read.insert(node.input().begin(), node.input().end());
  }
  keep_nodes(graph, kept);
}

void erase_weights_among_inputs(onnx::GraphProto& graph) {
  NameSet weights;
  for (const onnx::TensorProto& tensor : graph.initializer()) weights.insert(tensor.name());
  auto& inputs = *graph.mutable_input();
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                              [&](const auto& input) { return weights.contains(input.name()); }),
               inputs.end());
}

}  // namespace

void drop_unread(Rewriting& to) {
  onnx::GraphProto& graph = to.graph();
  NameSet read;
  for (const onnx::ValueInfoProto& output : graph.output()) read.insert(output.name());
  erase_unread_nodes(graph, read);
  erase_weights_among_inputs(graph);
  auto& weights = *graph.mutable_initializer();
  int count = 0;
  for (int w = 0; w < weights.size(); ++w)
    if (read.contains(weights[w].name())) weights.SwapElements(w, count++);
  weights.DeleteSubrange(count, weights.size() - count);
}

}  // namespace facepipe::detector
