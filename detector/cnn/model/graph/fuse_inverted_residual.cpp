#include "detector/cnn/model/graph/fuse_inverted_residual.h"

#include <algorithm>
#include <optional>

namespace facepipe::detector::graph {
namespace {

/// Holds the indices of the three nodes of a block.
struct Block {
  std::size_t expand;
  std::size_t depthwise;
  std::size_t project;
};

const Convolution* convolution_at(const Graph& graph, int node) {
  return node < 0 ? nullptr
                  : std::get_if<Convolution>(&graph.nodes[static_cast<std::size_t>(node)].op);
}

bool is_expansion(const Convolution* op) {
  return op != nullptr && op->pointwise() && op->activation == Activation::relu;
}

bool is_filter(const Convolution* op) {
  if (op == nullptr || !op->depthwise() || op->activation != Activation::relu) return false;
  const int stride = op->window.stride_y;
  return (stride == 1 || stride == 2) && op->window == window_3x3(stride);
}

/// Returns the node that computes the first input of `node`, if it has only one input and only
/// `node` reads its result. Otherwise returns -1.
int private_producer(const Graph& graph, const Uses& uses, int node) {
  const int producer = uses.private_producer(graph.nodes[static_cast<std::size_t>(node)].inputs[0]);
  if (producer < 0) return -1;
  return graph.nodes[static_cast<std::size_t>(producer)].inputs.size() == 1 ? producer : -1;
}

bool stays_inside(const Graph& graph, const Uses& uses, ValueId value) {
  const std::vector<int>& readers = uses.readers(value);
  return !uses.is_output(value) && std::none_of(readers.begin(), readers.end(), [&](int reader) {
    const Operator& op = graph.nodes[static_cast<std::size_t>(reader)].op;
    return std::holds_alternative<Split>(op) || std::holds_alternative<Activate>(op);
  });
}

std::optional<Block> block_that_ends_at(const Graph& graph, const Uses& uses, int project) {
  const Convolution* const last = convolution_at(graph, project);
  if (last == nullptr || !last->pointwise()) return std::nullopt;
  const Node& node = graph.nodes[static_cast<std::size_t>(project)];
  if (!stays_inside(graph, uses, node.outputs[0])) return std::nullopt;
  const int depthwise = private_producer(graph, uses, project);
  if (!is_filter(convolution_at(graph, depthwise))) return std::nullopt;
  const int expand = private_producer(graph, uses, depthwise);
  if (!is_expansion(convolution_at(graph, expand))) return std::nullopt;
  return Block{static_cast<std::size_t>(expand), static_cast<std::size_t>(depthwise),
               static_cast<std::size_t>(project)};
}

Node fused(const Graph& graph, const Block& block) {
  const auto part = [&](std::size_t node) { return std::get<Convolution>(graph.nodes[node].op); };
  const Node& last = graph.nodes[block.project];
  Node node{last.name,
            InvertedResidual{part(block.expand), part(block.depthwise), part(block.project)},
            last.inputs, last.outputs};
  node.inputs[0] = graph.nodes[block.expand].inputs[0];
  return node;
}

}  // namespace

void fuse_inverted_residuals(Graph& graph,
                             const std::function<bool(const InvertedResidual&)>& fits) {
  // The loop runs from the end. Two nodes before the block's last node are erased, so the index of
  // the last node falls by two.
  for (auto n = static_cast<int>(graph.nodes.size()) - 1; n >= 0; --n) {
    const std::optional<Block> block = block_that_ends_at(graph, Uses(graph), n);
    if (!block) continue;
    Node node = fused(graph, *block);
    if (!fits(std::get<InvertedResidual>(node.op))) continue;
    graph.nodes[block->project] = std::move(node);
    erase_node(graph, static_cast<int>(block->depthwise));
    erase_node(graph, static_cast<int>(block->expand));
    n -= 2;
  }
}

}  // namespace facepipe::detector::graph
