#include "detector/cnn/model/canonical/passes.h"

namespace facepipe::detector {
namespace {

/// Returns whether the node's first output is equal to its first input.
bool does_nothing(const onnx::NodeProto& node, const OnnxIndex& index) {
  if (node.op_type() == "Identity") return node.input_size() == 1 && node.output_size() == 1;
  if (node.op_type() != "Dropout" || node.input_size() < 1 || node.output_size() < 1) return false;
  constexpr int kTrainingMode = 2;
  const bool trains = node.input_size() > kTrainingMode && !node.input(kTrainingMode).empty();
  const bool mask_is_read = node.output_size() > 1 && index.reads_of(node.output(1)) > 0;
  return !trains && !mask_is_read;
}

/// Renames all values that nodes read and compute.
void rename_values(onnx::GraphProto& graph, const NewNames& names) {
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    for (std::string& input : *node.mutable_input()) rename(input, names);
    for (std::string& output : *node.mutable_output()) rename(output, names);
  }
}

}  // namespace

void drop_identities(Rewriting& to) {
  onnx::GraphProto& graph = to.graph();
  const OnnxIndex index(graph);
  NewNames sources;  // the result of each node that does nothing, and its input
  NewNames outputs;  // each value that gets the name of an output of the graph
  std::vector<bool> kept(static_cast<std::size_t>(graph.node_size()), true);
  for (int n = 0; n < graph.node_size(); ++n) {
    onnx::NodeProto& node = *graph.mutable_node(n);
    for (std::string& input : *node.mutable_input()) rename(input, sources);
    if (!does_nothing(node, index)) continue;
    const std::string& from = node.input(0);
    const std::string& result = node.output(0);
    if (index.is_output(result)) {
      // The file's outputs keep their names, so the node's input gets the output's name.
      const bool free = index.producer(from) >= 0 && !index.is_output(from);
      if (!free || !outputs.emplace(from, result).second) continue;
    } else {
      sources.emplace(result, from);
    }
    kept[static_cast<std::size_t>(n)] = false;
  }
  keep_nodes(graph, kept);
  if (!outputs.empty()) rename_values(graph, outputs);
}

}  // namespace facepipe::detector
