#include "detector/graph/fuse_stem.h"

#include <utility>

namespace facepipe::graph {
namespace {

const Convolution* plain_convolution(const Node& node) {
  const auto* const op = std::get_if<Convolution>(&node.op);
  const bool plain =
      op != nullptr && node.inputs.size() == 1 && op->activation != Activation::sigmoid;
  return plain ? op : nullptr;
}

/// The one node that reads `value`, or -1.
int only_reader(const Uses& uses, ValueId value) {
  return uses.private_to_one_reader(value) ? uses.readers(value)[0] : -1;
}

const Node& node_at(const Graph& graph, int index) {
  return graph.nodes[static_cast<std::size_t>(index)];
}

/// Indices of the depthwise and the 1x1 convolution behind the node `first`, or none.
std::vector<int> block_behind(const Graph& graph, const Uses& uses, int first) {
  const auto& stem = std::get<Convolution>(node_at(graph, first).op);
  const int second = only_reader(uses, node_at(graph, first).outputs[0]);
  if (second < 0 || stem.outputs > kMostStemBlockChannels || stem.activation != Activation::relu)
    return {};
  const Convolution* const depthwise = plain_convolution(node_at(graph, second));
  if (depthwise == nullptr || !depthwise->depthwise() ||
      depthwise->window != Window{3, 3, 1, 1, 1, 1, 1, 1} ||
      depthwise->activation != Activation::relu)
    return {};
  const int third = only_reader(uses, node_at(graph, second).outputs[0]);
  if (third < 0) return {};
  const Convolution* const pointwise = plain_convolution(node_at(graph, third));
  if (pointwise == nullptr || !pointwise->pointwise()) return {};
  return {second, third};
}

/// The nodes' convolutions as one Stem at the first's place.
void join(Graph& graph, const std::vector<int>& nodes) {
  Stem stem;
  Node& joined = graph.nodes[static_cast<std::size_t>(nodes.front())];
  std::string name;
  for (const int n : nodes) {
    name += (name.empty() ? "" : "+") + node_at(graph, n).name;
    stem.layers.push_back(std::get<Convolution>(node_at(graph, n).op));
  }
  joined.outputs = node_at(graph, nodes.back()).outputs;
  joined.name = std::move(name);
  joined.op = std::move(stem);
  for (std::size_t i = nodes.size(); i-- > 1;) graph.nodes.erase(graph.nodes.begin() + nodes[i]);
}

}  // namespace

bool is_stem(const Convolution& op) {
  constexpr int kImageChannels = 3;
  return op.groups == 1 && op.inputs == kImageChannels &&
         op.window == Window{3, 3, 2, 2, 1, 1, 1, 1};
}

void fuse_stem(Graph& graph) {
  const Uses uses(graph);
  const int first = only_reader(uses, graph.input);
  if (first < 0) return;
  const Convolution* const op = plain_convolution(node_at(graph, first));
  if (op == nullptr || !is_stem(*op)) return;
  // What is last are floats, which its kernel doesn't write.
  const auto last = [&](int n) {
    return reaches_outputs_only(graph, uses, node_at(graph, n).outputs[0]);
  };
  std::vector<int> nodes{first};
  for (const int n : block_behind(graph, uses, first)) nodes.push_back(n);
  if (last(nodes.back())) nodes.resize(1);
  if (!last(nodes.back())) join(graph, nodes);
}

}  // namespace facepipe::graph
