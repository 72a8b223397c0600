#include "detector/cnn/model/graph/fuse_pyramid.h"

#include <algorithm>
#include <set>
#include <utility>

namespace facepipe::detector::graph {
namespace {

Node& node_at(Graph& graph, int index) { return graph.nodes[static_cast<std::size_t>(index)]; }

/// Returns the index of the node that computes the lateral map of a PyramidStep, or -1.
int lateral_of(Graph& graph, const Uses& uses, const Node& node, int most_channels) {
  const auto* const up = std::get_if<TransposedConvolution>(&node.op);
  if (up == nullptr || up->factor != 2 || up->outputs > most_channels ||
      !is_none_or_relu(up->activation) || node.inputs.size() != 2)
    return -1;
  const int producer = uses.private_producer(node.inputs[1]);
  if (producer < 0) return -1;
  const Node& lateral = node_at(graph, producer);
  const Convolution* const op = lone_convolution(lateral);
  if (op == nullptr || !op->pointwise() || !is_none_or_relu(op->activation)) return -1;
  return producer;
}

bool fuse_step(Graph& graph, std::size_t n, int most_channels) {
  Node& node = graph.nodes[n];
  const int lateral = lateral_of(graph, Uses(graph), node, most_channels);
  if (lateral < 0) return false;
  const Node& side = node_at(graph, lateral);
  node.op = PyramidStep{std::get<TransposedConvolution>(node.op), std::get<Convolution>(side.op)};
  node.name = side.name + "+" + node.name;
  node.inputs[1] = side.inputs[0];
  erase_node(graph, lateral);
  return true;
}

/// Describes the path from an output back to the convolution that computes it, with the nodes
/// between.
struct Trail {
  HeadTail::Part part;
  int convolution = -1;
  std::set<int> views;
};

std::optional<Trail> trail_of(Graph& graph, const Uses& uses, const Output& output) {
  Trail trail;
  trail.part.name = output.name;
  trail.part.channels = graph.map(output.value).channels;
  ValueId value = output.value;
  for (int n = uses.producer(value); n >= 0; n = uses.producer(value)) {
    const Node& node = node_at(graph, n);
    if (const auto* const activate = std::get_if<Activate>(&node.op)) {
      // There may be only one activation, and only the output may read it.
      if (value != output.value || !uses.readers(value).empty()) return std::nullopt;
      trail.part.pending = activate->function;
    } else if (const auto* const split = std::get_if<Split>(&node.op)) {
      for (std::size_t i = 0; node.outputs[i] != value; ++i)
        trail.part.first_channel += split->channels[i];
    } else {
      trail.convolution = n;
      return trail;
    }
    trail.views.insert(n);
    value = node.inputs[0];
  }
  return std::nullopt;
}

bool is_window(const Convolution& op) {
  return op.groups == 1 && op.window == window_3x3() && op.activation == Activation::relu;
}

/// Returns the three nodes of a head that ends with `last`, in their order; otherwise no nodes.
std::vector<int> head_before(Graph& graph, const Uses& uses, int last) {
  const Convolution* const outputs = lone_convolution(node_at(graph, last));
  if (outputs == nullptr || !outputs->pointwise() || outputs->activation != Activation::none)
    return {};
  const int second = uses.private_producer(node_at(graph, last).inputs[0]);
  if (second < 0) return {};
  const Convolution* const window = lone_convolution(node_at(graph, second));
  if (window == nullptr || !is_window(*window)) return {};
  const int first = uses.private_producer(node_at(graph, second).inputs[0]);
  if (first < 0 || !std::holds_alternative<PyramidStep>(node_at(graph, first).op)) return {};
  return {first, second, last};
}

}  // namespace

void fuse_pyramid(Graph& graph, int most_channels) {
  for (std::size_t n = 0; n < graph.nodes.size();)
    n = fuse_step(graph, n, most_channels) ? 0 : n + 1;
}

std::optional<HeadTail> cut_head(Graph& graph) {
  const Uses uses(graph);
  HeadTail tail;
  std::set<int> gone;
  int last = -1;
  for (const Output& output : graph.outputs) {
    const std::optional<Trail> trail = trail_of(graph, uses, output);
    if (!trail || (last >= 0 && trail->convolution != last)) return std::nullopt;
    last = trail->convolution;
    tail.parts.push_back(trail->part);
    gone.insert(trail->views.begin(), trail->views.end());
  }
  const std::vector<int> head = last >= 0 ? head_before(graph, uses, last) : std::vector<int>{};
  if (head.empty()) return std::nullopt;
  const Node& step = node_at(graph, head[0]);
  tail.step = std::get<PyramidStep>(step.op);
  tail.window = std::get<Convolution>(node_at(graph, head[1]).op);
  tail.outputs = std::get<Convolution>(node_at(graph, head[2]).op);
  tail.coarse = step.inputs[0];
  tail.fine = step.inputs[1];
  gone.insert(head.begin(), head.end());
  // Only nodes that are removed may read the values of these nodes.
  for (const int n : gone)
    for (const ValueId value : node_at(graph, n).outputs)
      for (const int reader : uses.readers(value))
        if (!gone.contains(reader)) return std::nullopt;
  std::for_each(gone.rbegin(), gone.rend(), [&](int n) { erase_node(graph, n); });
  graph.outputs = {{"coarse", tail.coarse, OutputLayout::features},
                   {"fine", tail.fine, OutputLayout::features}};
  return tail;
}

}  // namespace facepipe::detector::graph
