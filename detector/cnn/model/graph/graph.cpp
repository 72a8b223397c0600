#include "detector/cnn/model/graph/graph.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "core/terminal_text.h"

namespace facepipe::detector::graph {

const char* name_of(const Operator& op) {
  // The names are in the order of Operator's alternatives.
  static constexpr const char* kNames[] = {"Convolution",
                                           "TransposedConvolution",
                                           "BatchNormalization",
                                           "Activate",
                                           "Add",
                                           "Multiply",
                                           "LeakyRelu",
                                           "Concat",
                                           "Shuffle",
                                           "MaxPool",
                                           "Upsample",
                                           "Transpose",
                                           "Reshape",
                                           "Split",
                                           "InvertedResidual",
                                           "PairChains",
                                           "Stem",
                                           "PyramidStep",
                                           "RowOperator"};
  static_assert(std::size(kNames) == std::variant_size_v<Operator>);
  if (const auto* const rows = std::get_if<RowOperator>(&op)) return rows->type.c_str();
  return kNames[op.index()];
}

ValueId Graph::add_value(const std::string& name) {
  values.push_back({name, {}, {}});
  return static_cast<ValueId>(values.size()) - 1;
}

MapShape Graph::map(ValueId id) const {
  const std::vector<std::int64_t>& extents = value(id).extents;
  if (extents.size() != 4 || extents[0] != 1)
    throw Error(ErrorKind::internal,
                source + ": value " + shown_name(value(id).name) + " is not a map");
  return {static_cast<int>(extents[1]), static_cast<int>(extents[2]), static_cast<int>(extents[3])};
}

Uses::Uses(const Graph& graph)
    : producers_(graph.values.size(), -1),
      readers_(graph.values.size()),
      outputs_(graph.values.size(), false) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const ValueId input : graph.nodes[n].inputs)
      readers_[static_cast<std::size_t>(input)].push_back(static_cast<int>(n));
    for (const ValueId output : graph.nodes[n].outputs)
      producers_[static_cast<std::size_t>(output)] = static_cast<int>(n);
  }
  for (const Output& output : graph.outputs)
    outputs_[static_cast<std::size_t>(output.value)] = true;
}

bool reaches_outputs_only(const Graph& graph, const Uses& uses, ValueId value) {
  for (const int reader : uses.readers(value)) {
    const Node& node = graph.nodes[static_cast<std::size_t>(reader)];
    if (!std::holds_alternative<Activate>(node.op)) return false;
    if (!reaches_outputs_only(graph, uses, node.outputs[0])) return false;
  }
  return uses.is_output(value) || !uses.readers(value).empty();
}

bool is_last(const Graph& graph, const Uses& uses, ValueId value) {
  for (const int reader : uses.readers(value)) {
    const Node& node = graph.nodes[static_cast<std::size_t>(reader)];
    if (!std::holds_alternative<Activate>(node.op) && !std::holds_alternative<Split>(node.op))
      return false;
    for (const ValueId output : node.outputs)
      if (!is_last(graph, uses, output)) return false;
  }
  const bool within_the_network =
      std::any_of(graph.outputs.begin(), graph.outputs.end(), [value](const Output& output) {
        return output.value == value && output.layout == OutputLayout::features;
      });
  if (within_the_network) return false;
  return uses.is_output(value) || !uses.readers(value).empty();
}

const Convolution* lone_convolution(const Node& node) {
  return node.inputs.size() == 1 ? std::get_if<Convolution>(&node.op) : nullptr;
}

void erase_node(Graph& graph, int index) { graph.nodes.erase(graph.nodes.begin() + index); }

void refuse(const Graph& graph, const Node& node, const std::string& reason) {
  throw Error(ErrorKind::device, "model " + graph.source + ": node " + shown_name(node.name) +
                                     " (" + name_of(node.op) + "): " + reason);
}

}  // namespace facepipe::detector::graph
