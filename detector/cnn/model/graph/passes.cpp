#include "detector/cnn/model/graph/passes.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace facepipe::detector::graph {
namespace {

using Step = bool (*)(Graph&, std::size_t);

/// Applies `step` to each node. Starts again whenever a step changed something, because it may have
/// moved nodes. Graphs are small.
void repeat(Graph& graph, Step step) {
  for (std::size_t n = 0; n < graph.nodes.size();) n = step(graph, n) ? 0 : n + 1;
}

void replace_reads(Graph& graph, ValueId from, ValueId to) {
  for (Node& node : graph.nodes) std::replace(node.inputs.begin(), node.inputs.end(), from, to);
  for (Output& output : graph.outputs)
    if (output.value == from) output.value = to;
}

/// Returns the node that computes `value`, if only one node reads it and it is no output; else
/// null.
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
    // The fused node stands where the addition stood, because both operands are known there.
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

/// Tells whether extents are those of cells. The channels of a place may be those of several cells.
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
void fuse_activations(Graph& graph) { repeat(graph, fuse_activation); }
void fuse_adds(Graph& graph) { repeat(graph, fuse_add); }

void optimise(Graph& graph, Size size) {
  infer_shapes(graph, size);
  absorb_output_layout(graph);
  fold_batch_norm(graph);
  merge_heads(graph);
  fuse_activations(graph);
  fuse_adds(graph);
  infer_shapes(graph, size);
}

}  // namespace facepipe::detector::graph
