#include <algorithm>
#include <optional>

#include "detector/cnn/model/graph/passes.h"

namespace facepipe::detector::graph {
namespace {

/// Describes a 1x1 convolution of a head. A depthwise convolution may be its only reader.
struct Branch {
  std::size_t pointwise = 0;
  std::optional<std::size_t> depthwise;
};

const Convolution* plain_convolution(const Node& node) {
  const Convolution* const op = lone_convolution(node);
  return op != nullptr && op->activation == Activation::none ? op : nullptr;
}

std::optional<Branch> branch_at(const Graph& graph, const Uses& uses, std::size_t n) {
  const Convolution* const first = plain_convolution(graph.nodes[n]);
  if (first == nullptr || !first->pointwise()) return std::nullopt;
  const ValueId value = graph.nodes[n].outputs[0];
  if (reaches_outputs_only(graph, uses, value)) return Branch{n, std::nullopt};
  const int only_reader = uses.only_reader(value);
  if (only_reader < 0) return std::nullopt;
  const auto reader = static_cast<std::size_t>(only_reader);
  const Convolution* const second = plain_convolution(graph.nodes[reader]);
  if (second == nullptr || !second->depthwise()) return std::nullopt;
  if (!reaches_outputs_only(graph, uses, graph.nodes[reader].outputs[0])) return std::nullopt;
  return Branch{n, reader};
}

const Convolution& convolution_at(const Graph& graph, std::size_t n) {
  return std::get<Convolution>(graph.nodes[n].op);
}

bool same_shape(const Graph& graph, const Branch& a, const Branch& b) {
  if (graph.nodes[a.pointwise].inputs[0] != graph.nodes[b.pointwise].inputs[0]) return false;
  if (a.depthwise.has_value() != b.depthwise.has_value()) return false;
  return !a.depthwise ||
         convolution_at(graph, *a.depthwise).window == convolution_at(graph, *b.depthwise).window;
}

/// Returns one convolution that computes the outputs of several.
Node joined(const Graph& graph, const std::vector<std::size_t>& parts, ValueId input,
            ValueId output) {
  Convolution all = convolution_at(graph, parts.front());
  std::string name = graph.nodes[parts.front()].name;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Convolution& part = convolution_at(graph, parts[i]);
    name += "+" + graph.nodes[parts[i]].name;
    all.outputs += part.outputs;
    all.weights.insert(all.weights.end(), part.weights.begin(), part.weights.end());
    all.bias.insert(all.bias.end(), part.bias.begin(), part.bias.end());
  }
  return {name, std::move(all), {input}, {output}};
}

/// Returns one depthwise convolution for several, in the same way. It reads all channels of
/// `input`.
Node joined_depthwise(const Graph& graph, const std::vector<std::size_t>& parts, ValueId input,
                      ValueId output) {
  Node node = joined(graph, parts, input, output);
  auto& op = std::get<Convolution>(node.op);
  op.inputs = op.groups = op.outputs;
  return node;
}

void merge(Graph& graph, const std::vector<Branch>& branches) {
  std::vector<std::size_t> pointwise;
  std::vector<std::size_t> depthwise;
  for (const Branch& branch : branches) {
    pointwise.push_back(branch.pointwise);
    if (branch.depthwise) depthwise.push_back(*branch.depthwise);
  }
  const std::vector<std::size_t>& last = depthwise.empty() ? pointwise : depthwise;
  Node split{"", Split{}, {}, {}};
  for (const std::size_t part : last) {
    std::get<Split>(split.op).channels.push_back(convolution_at(graph, part).outputs);
    split.outputs.push_back(graph.nodes[part].outputs[0]);
  }
  std::vector<Node> merged;
  ValueId value = graph.nodes[pointwise.front()].inputs[0];
  const auto append = [&](Node node, ValueId output) {
    graph.value(output).name = node.name;
    value = output;
    merged.push_back(std::move(node));
  };
  const ValueId first = graph.add_value("");
  append(joined(graph, pointwise, value, first), first);
  if (!depthwise.empty()) {
    const ValueId second = graph.add_value("");
    append(joined_depthwise(graph, depthwise, value, second), second);
  }
  split.name = merged.back().name;
  split.inputs = {value};
  merged.push_back(std::move(split));
  // The new nodes are inserted at the position of the first old node, because they read no other
  // value.
  std::vector<std::size_t> gone = pointwise;
  gone.insert(gone.end(), depthwise.begin(), depthwise.end());
  std::sort(gone.begin(), gone.end());
  for (std::size_t i = gone.size(); i-- > 0;) erase_node(graph, static_cast<int>(gone[i]));
  graph.nodes.insert(graph.nodes.begin() + static_cast<std::ptrdiff_t>(gone.front()),
                     merged.begin(), merged.end());
}

/// Merges the first group of convolutions that can be merged. Returns false if there is no such
/// group.
bool merge_one(Graph& graph) {
  const Uses uses(graph);
  std::vector<Branch> branches;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (const auto branch = branch_at(graph, uses, n)) branches.push_back(*branch);
  for (const Branch& first : branches) {
    std::vector<Branch> group;
    std::copy_if(branches.begin(), branches.end(), std::back_inserter(group),
                 [&](const Branch& other) { return same_shape(graph, first, other); });
    if (group.size() < 2) continue;
    merge(graph, group);
    return true;
  }
  return false;
}

}  // namespace

void merge_heads(Graph& graph) {
  while (merge_one(graph)) {
  }
}

}  // namespace facepipe::detector::graph
