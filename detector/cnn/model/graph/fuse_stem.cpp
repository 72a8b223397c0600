#include "detector/cnn/model/graph/fuse_stem.h"

#include <utility>

namespace facepipe::detector::graph {
namespace {

const Convolution* plain_convolution(const Node& node) {
  const Convolution* const op = lone_convolution(node);
  return op != nullptr && is_none_or_relu(op->activation) ? op : nullptr;
}

const Node& node_at(const Graph& graph, int index) {
  return graph.nodes[static_cast<std::size_t>(index)];
}

/// Returns the indices of the depthwise and the 1x1 convolution after node `first`; otherwise
/// nothing.
std::vector<int> block_behind(const Graph& graph, const Uses& uses, int first) {
  const auto& stem = std::get<Convolution>(node_at(graph, first).op);
  const int second = uses.only_reader(node_at(graph, first).outputs[0]);
  if (second < 0 || stem.outputs > kMostStemBlockChannels || stem.activation != Activation::relu)
    return {};
  const Convolution* const depthwise = plain_convolution(node_at(graph, second));
  if (depthwise == nullptr || !depthwise->depthwise() || depthwise->window != window_3x3() ||
      depthwise->activation != Activation::relu)
    return {};
  const int third = uses.only_reader(node_at(graph, second).outputs[0]);
  if (third < 0) return {};
  const Convolution* const pointwise = plain_convolution(node_at(graph, third));
  if (pointwise == nullptr || !pointwise->pointwise()) return {};
  return {second, third};
}

/// Joins the nodes' convolutions into one Stem, which replaces the first node.
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
  for (std::size_t i = nodes.size(); i-- > 1;) erase_node(graph, nodes[i]);
}

}  // namespace

bool is_stem(const Convolution& op) {
  constexpr int kImageChannels = 3;
  return op.groups == 1 && op.inputs == kImageChannels && op.window == window_3x3(2);
}

void fuse_stem(Graph& graph) {
  const Uses uses(graph);
  const int first = uses.only_reader(graph.input);
  if (first < 0) return;
  const Convolution* const op = plain_convolution(node_at(graph, first));
  if (op == nullptr || !is_stem(*op)) return;
  // The result of a network's last layer is floats, which the kernel of a Stem doesn't write.
  const auto last = [&](int n) {
    return reaches_outputs_only(graph, uses, node_at(graph, n).outputs[0]);
  };
  std::vector<int> nodes{first};
  for (const int n : block_behind(graph, uses, first)) nodes.push_back(n);
  if (last(nodes.back())) nodes.resize(1);
  if (!last(nodes.back())) join(graph, nodes);
}

}  // namespace facepipe::detector::graph
