#include "detector/cnn/model/graph/fuse_pairs.h"

#include <algorithm>
#include <optional>

namespace facepipe::detector::graph {
namespace {

constexpr Window kPoolWindow{2, 2, 2, 2, 0, 0, 0, 0};

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Returns the node's chain if it has exactly one, otherwise null.
PairChain* chain_of(Node& node) {
  auto* const op = std::get_if<PairChains>(&node.op);
  return op != nullptr && op->chains.size() == 1 ? op->chains.data() : nullptr;
}

bool is_first(const Node& node, const PairLimits& limits) {
  const Convolution* const op = lone_convolution(node);
  return op != nullptr && op->pointwise() && op->activation == Activation::none &&
         std::max(op->inputs, op->outputs) <= limits.channels;
}

bool is_second(const Node& node) {
  const Convolution* const op = lone_convolution(node);
  return op != nullptr && op->depthwise() && op->window == window_3x3() &&
         is_none_or_relu(op->activation);
}

/// Returns the only node that reads `value`, or null.
Node* only_reader(Graph& graph, const Uses& uses, ValueId value) {
  const int reader = uses.only_reader(value);
  return reader < 0 ? nullptr : &graph.nodes[at(reader)];
}

bool make_pair(Graph& graph, std::size_t n, const PairLimits& limits) {
  if (!is_first(graph.nodes[n], limits)) return false;
  Node& first = graph.nodes[n];
  Node* const second = only_reader(graph, Uses(graph), first.outputs[0]);
  if (second == nullptr || !is_second(*second)) return false;
  PairChain chain{
      {std::move(std::get<Convolution>(first.op)), std::move(std::get<Convolution>(second->op))}};
  second->op = PairChains{{std::move(chain)}};
  second->name = first.name + "+" + second->name;
  second->inputs = first.inputs;
  erase_node(graph, static_cast<int>(n));
  return true;
}

bool take_upsampling(Graph& graph, std::size_t n, const PairLimits&) {
  const auto* const upsample = std::get_if<Upsample>(&graph.nodes[n].op);
  if (upsample == nullptr || upsample->factor != 2 || graph.nodes[n].inputs.size() != 2)
    return false;
  Node* const reader = only_reader(graph, Uses(graph), graph.nodes[n].outputs[0]);
  PairChain* const chain = reader != nullptr ? chain_of(*reader) : nullptr;
  if (chain == nullptr || chain->upsampled) return false;
  chain->upsampled = true;
  reader->name = graph.nodes[n].name + "+" + reader->name;
  reader->inputs = graph.nodes[n].inputs;
  erase_node(graph, static_cast<int>(n));
  return true;
}

bool take_pooling(Graph& graph, std::size_t n, const PairLimits&) {
  const auto* const pool = std::get_if<MaxPool>(&graph.nodes[n].op);
  if (pool == nullptr || pool->window != kPoolWindow) return false;
  const Uses uses(graph);
  const ValueId value = graph.nodes[n].inputs[0];
  const int producer = uses.producer(value);
  if (producer < 0) return false;
  Node& node = graph.nodes[at(producer)];
  PairChain* const chain = chain_of(node);
  if (chain == nullptr || chain->pools || chain->upsampled || value != node.outputs[0])
    return false;
  chain->pools = true;
  chain->keeps = !uses.private_to_one_reader(value);
  if (!chain->keeps) node.outputs.clear();
  node.outputs.push_back(graph.nodes[n].outputs[0]);
  node.name += "+" + graph.nodes[n].name;
  erase_node(graph, static_cast<int>(n));
  return true;
}

/// Returns whether the later node `other` can be computed at the position of node `n`.
bool can_move_to(const Graph& graph, const Uses& uses, std::size_t n, std::size_t other) {
  const std::vector<ValueId>& inputs = graph.nodes[other].inputs;
  return std::all_of(inputs.begin(), inputs.end(),
                     [&](ValueId input) { return uses.producer(input) < static_cast<int>(n); });
}

bool group(Graph& graph, std::size_t n, const PairLimits& limits) {
  Node& node = graph.nodes[n];
  auto* const op = std::get_if<PairChains>(&node.op);
  if (op == nullptr || op->chains.size() >= at(limits.chains)) return false;
  const Uses uses(graph);
  for (std::size_t other = n + 1; other < graph.nodes.size(); ++other) {
    PairChain* const chain = chain_of(graph.nodes[other]);
    if (chain == nullptr || !same_kind(op->chains[0], *chain) ||
        is_last(graph, uses, node.outputs[0]) !=  // a last layer may have another precision
            is_last(graph, uses, graph.nodes[other].outputs[0]) ||
        !can_move_to(graph, uses, n, other))
      continue;
    op->chains.push_back(std::move(*chain));
    const Node& moved = graph.nodes[other];
    node.name += " " + moved.name;
    node.inputs.insert(node.inputs.end(), moved.inputs.begin(), moved.inputs.end());
    node.outputs.insert(node.outputs.end(), moved.outputs.begin(), moved.outputs.end());
    erase_node(graph, static_cast<int>(other));
    return true;
  }
  return false;
}

using Step = bool (*)(Graph&, std::size_t, const PairLimits&);

/// Applies `step` to each node. Starts again after each step that has changed something.
void repeat(Graph& graph, Step step, const PairLimits& limits) {
  for (std::size_t n = 0; n < graph.nodes.size();) n = step(graph, n, limits) ? 0 : n + 1;
}

}  // namespace

bool same_kind(const PairChain& a, const PairChain& b) {
  return a.pools == b.pools && a.keeps == b.keeps && a.upsampled == b.upsampled &&
         a.pair.pointwise.inputs == b.pair.pointwise.inputs &&
         a.pair.pointwise.outputs == b.pair.pointwise.outputs &&
         a.pair.depthwise.activation == b.pair.depthwise.activation;
}

void fuse_pairs(Graph& graph, const PairLimits& limits) {
  repeat(graph, make_pair, limits);
  repeat(graph, take_upsampling, limits);
  repeat(graph, take_pooling, limits);
  repeat(graph, group, limits);
}

}  // namespace facepipe::detector::graph
