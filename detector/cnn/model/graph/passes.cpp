#include "detector/cnn/model/graph/passes.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace facepipe::detector::graph {
namespace {

using Step = bool (*)(Graph&, std::size_t);

/// Applies `step` to each node. Starts again after each step that has changed something, because
/// nodes may have moved. Graphs are small, so this is fast enough.
void repeat(Graph& graph, Step step) {
  for (std::size_t n = 0; n < graph.nodes.size();) n = step(graph, n) ? 0 : n + 1;
}

void replace_reads(Graph& graph, ValueId from, ValueId to) {
  for (Node& node : graph.nodes) std::replace(node.inputs.begin(), node.inputs.end(), from, to);
  for (Output& output : graph.outputs)
    if (output.value == from) output.value = to;
}

/// Returns the node that computes `value`, if only one node reads it and it is not an output;
/// otherwise null.
Node* private_producer(Graph& graph, const Uses& uses, ValueId value) {
  const int producer = uses.private_producer(value);
  return producer < 0 ? nullptr : &graph.nodes[static_cast<std::size_t>(producer)];
}

void scale_outputs(Convolution& op, const BatchNormalization& norm) {
  const std::size_t size = op.weights.size() / norm.scale.size();
  for (std::size_t i = 0; i < op.weights.size(); ++i) op.weights[i] *= norm.scale[i / size];
}

void scale_outputs(TransposedConvolution& op, const BatchNormalization& norm) {
  const auto taps = static_cast<std::size_t>(op.factor * op.factor);
  const std::size_t outputs = norm.scale.size();
  for (std::size_t i = 0; i < op.weights.size(); ++i)
    op.weights[i] *= norm.scale[i / taps % outputs];
}

template <class Op>
bool fold_into(Node& producer, const BatchNormalization& norm) {
  Op* const op = std::get_if<Op>(&producer.op);
  if (op == nullptr || op->activation != Activation::none || producer.inputs.size() != 1)
    return false;
  scale_outputs(*op, norm);
  for (std::size_t c = 0; c < norm.scale.size(); ++c)
    op->bias[c] = norm.scale[c] * op->bias[c] + norm.shift[c];
  return true;
}

Convolution as_convolution(const BatchNormalization& norm) {
  Convolution result;
  result.inputs = result.outputs = result.groups = static_cast<int>(norm.scale.size());
  result.weights = norm.scale;
  result.bias = norm.shift;
  return result;
}

bool fold_norm(Graph& graph, std::size_t n) {
  const auto* const found = std::get_if<BatchNormalization>(&graph.nodes[n].op);
  if (found == nullptr) return false;
  const BatchNormalization norm = *found;
  Node* const producer = private_producer(graph, Uses(graph), graph.nodes[n].inputs[0]);
  const bool folded = producer != nullptr && (fold_into<Convolution>(*producer, norm) ||
                                              fold_into<TransposedConvolution>(*producer, norm));
  if (folded) {
    producer->outputs = graph.nodes[n].outputs;
    erase_node(graph, static_cast<int>(n));
  } else {
    graph.nodes[n].op = as_convolution(norm);
  }
  return true;
}

/// Returns the index of the sigmoid of `x` that is computed for `value` only, or -1.
int private_sigmoid(const Graph& graph, const Uses& uses, ValueId value, ValueId x) {
  const int producer = uses.private_producer(value);
  if (producer < 0) return -1;
  const Node& node = graph.nodes[static_cast<std::size_t>(producer)];
  const auto* const op = std::get_if<Activate>(&node.op);
  const bool fits = op != nullptr && op->function == Activation::sigmoid && node.inputs[0] == x;
  return fits ? producer : -1;
}

bool join_one_silu(Graph& graph, std::size_t n) {
  if (!std::holds_alternative<Multiply>(graph.nodes[n].op)) return false;
  const Uses uses(graph);
  for (std::size_t factor = 0; factor < 2; ++factor) {
    const ValueId x = graph.nodes[n].inputs[factor];
    const int sigmoid = private_sigmoid(graph, uses, graph.nodes[n].inputs[1 - factor], x);
    if (sigmoid < 0) continue;
    graph.nodes[n].op = Activate{Activation::silu};
    graph.nodes[n].inputs = {x};
    erase_node(graph, sigmoid);
    return true;
  }
  return false;
}

/// Returns the index of the node that computes `value`, if it is of the kind `Op` and `value` has
/// only one reader; otherwise -1.
template <class Op>
int private_producer_of_kind(const Graph& graph, const Uses& uses, ValueId value) {
  const int producer = uses.private_producer(value);
  if (producer < 0) return -1;
  return std::holds_alternative<Op>(graph.nodes[static_cast<std::size_t>(producer)].op) ? producer
                                                                                        : -1;
}

bool join_shuffle(Graph& graph, std::size_t n) {
  if (!std::holds_alternative<Reshape>(graph.nodes[n].op)) return false;
  const Uses uses(graph);
  const int swap = private_producer_of_kind<Transpose>(graph, uses, graph.nodes[n].inputs[0]);
  if (swap < 0) return false;
  const Node& transpose = graph.nodes[static_cast<std::size_t>(swap)];
  const int split = private_producer_of_kind<Reshape>(graph, uses, transpose.inputs[0]);
  if (split < 0) return false;
  const ValueId map = graph.nodes[static_cast<std::size_t>(split)].inputs[0];
  const auto& from = graph.value(map).extents;
  const auto& groups = graph.value(transpose.inputs[0]).extents;
  // In the canonical form, the first Reshape makes groups x members x height x width of the
  // picture.
  const bool fits = from.size() == 4 && from == graph.value(graph.nodes[n].outputs[0]).extents &&
                    groups.size() == 4 && groups[2] == from[2] && groups[3] == from[3] &&
                    std::get<Transpose>(transpose.op).order == std::vector{1, 0, 2, 3};
  if (!fits) return false;
  graph.nodes[n].op = Shuffle{static_cast<int>(groups[0])};
  graph.nodes[n].inputs = {map};
  erase_node(graph, std::max(swap, split));
  erase_node(graph, std::min(swap, split));
  return true;
}

/// Returns whether a node's inputs from `first` on begin with all outputs of a Split.
bool reads_all_parts(const Node& node, std::size_t first, const Node& split) {
  const std::size_t count = split.outputs.size();
  return std::holds_alternative<Split>(split.op) && node.inputs.size() - first >= count &&
         std::equal(split.outputs.begin(), split.outputs.end(),
                    node.inputs.begin() + static_cast<std::ptrdiff_t>(first));
}

bool join_parts_of_one(Graph& graph, std::size_t n) {
  Node& node = graph.nodes[n];
  if (!std::holds_alternative<Concat>(node.op)) return false;
  const Uses uses(graph);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const int producer = uses.producer(node.inputs[i]);
    if (producer < 0) continue;
    const Node& split = graph.nodes[static_cast<std::size_t>(producer)];
    if (!reads_all_parts(node, i, split)) continue;
    const auto first = node.inputs.begin() + static_cast<std::ptrdiff_t>(i);
    *first = split.inputs[0];
    node.inputs.erase(first + 1, first + static_cast<std::ptrdiff_t>(split.outputs.size()));
    return true;
  }
  return false;
}

/// Returns the activation of a convolution that has none yet, or null.
Activation* free_activation(Node& node) {
  if (node.inputs.size() != 1) return nullptr;
  Activation* activation = nullptr;
  if (auto* const op = std::get_if<Convolution>(&node.op)) activation = &op->activation;
  if (auto* const op = std::get_if<TransposedConvolution>(&node.op)) activation = &op->activation;
  return activation != nullptr && *activation == Activation::none ? activation : nullptr;
}

bool fuse_activation(Graph& graph, std::size_t n) {
  const auto* const activate = std::get_if<Activate>(&graph.nodes[n].op);
  if (activate == nullptr) return false;
  Node* const producer = private_producer(graph, Uses(graph), graph.nodes[n].inputs[0]);
  Activation* const activation = producer != nullptr ? free_activation(*producer) : nullptr;
  if (activation == nullptr) return false;
  *activation = activate->function;
  producer->outputs = graph.nodes[n].outputs;
  erase_node(graph, static_cast<int>(n));
  return true;
}

bool takes_residual(const Node& node) {
  return node.inputs.size() == 1 && (std::holds_alternative<Convolution>(node.op) ||
                                     std::holds_alternative<TransposedConvolution>(node.op) ||
                                     std::holds_alternative<Upsample>(node.op));
}

bool fuse_add(Graph& graph, std::size_t n) {
  if (!std::holds_alternative<Add>(graph.nodes[n].op)) return false;
  const Uses uses(graph);
  for (std::size_t operand = 0; operand < 2; ++operand) {
    const ValueId value = graph.nodes[n].inputs[operand];
    const Node* const producer = private_producer(graph, uses, value);
    if (producer == nullptr || !takes_residual(*producer)) continue;
    // The fused node replaces the addition, because both operands have been computed there.
    Node fused = *producer;
    fused.inputs.push_back(graph.nodes[n].inputs[1 - operand]);
    fused.outputs = graph.nodes[n].outputs;
    graph.nodes[n] = std::move(fused);
    erase_node(graph, uses.producer(value));
    return true;
  }
  return false;
}

void promise_cells(Graph& graph, const Uses& uses, ValueId value) {
  for (Output& output : graph.outputs)
    if (output.value == value) output.layout = OutputLayout::cells;
  for (const int reader : uses.readers(value))
    promise_cells(graph, uses, graph.nodes[static_cast<std::size_t>(reader)].outputs[0]);
}

/// Returns whether these are the extents of a map's cells. A place may have several cells.
bool are_cells_of(const std::vector<std::int64_t>& extents, const MapShape& map) {
  const std::int64_t places = std::int64_t{map.height} * map.width;
  return places > 0 && extents.size() == 3 && extents[0] == 1 && extents[1] > 0 &&
         extents[1] % places == 0 && extents[1] * extents[2] == places * map.channels;
}

bool absorb_layout(Graph& graph, std::size_t n) {
  const auto* const transpose = std::get_if<Transpose>(&graph.nodes[n].op);
  if (transpose == nullptr || transpose->order != std::vector{0, 2, 3, 1}) return false;
  const Uses uses(graph);
  const ValueId transposed = graph.nodes[n].outputs[0];
  const int reader = uses.only_reader(transposed);
  if (reader < 0) return false;
  const Node& reshape = graph.nodes[static_cast<std::size_t>(reader)];
  if (!std::holds_alternative<Reshape>(reshape.op)) return false;
  const ValueId cells = reshape.outputs[0];
  const MapShape map = graph.map(graph.nodes[n].inputs[0]);
  if (!are_cells_of(graph.value(cells).extents, map) || !reaches_outputs_only(graph, uses, cells))
    return false;
  promise_cells(graph, uses, cells);
  replace_reads(graph, cells, graph.nodes[n].inputs[0]);
  erase_node(graph, reader);
  erase_node(graph, static_cast<int>(n));
  return true;
}

}  // namespace

void absorb_output_layout(Graph& graph) { repeat(graph, absorb_layout); }
void fold_batch_norm(Graph& graph) { repeat(graph, fold_norm); }
void join_silu(Graph& graph) { repeat(graph, join_one_silu); }
void join_shuffles(Graph& graph) { repeat(graph, join_shuffle); }
void join_parts(Graph& graph) { repeat(graph, join_parts_of_one); }
void fuse_activations(Graph& graph) { repeat(graph, fuse_activation); }
void fuse_adds(Graph& graph) { repeat(graph, fuse_add); }

void optimise(Graph& graph, Size size) {
  infer_shapes(graph, size);
  absorb_output_layout(graph);
  fold_batch_norm(graph);
  join_silu(graph);
  join_shuffles(graph);
  join_parts(graph);
  merge_heads(graph);
  fuse_activations(graph);
  fuse_adds(graph);
  infer_shapes(graph, size);
}

}  // namespace facepipe::detector::graph
