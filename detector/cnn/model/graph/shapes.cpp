// Computes the extents of every value, and checks the inputs of each operator.
#include <algorithm>
#include <numeric>

#include "core/limits.h"
#include "detector/cnn/model/graph/graph.h"
#include "detector/cnn/model/graph/row_operator.h"

namespace facepipe::detector::graph {
namespace {

using Extents = std::vector<std::int64_t>;

constexpr std::int64_t kMostChannels = 1 << 16;
// No layer has more elements, even for the largest picture.
constexpr std::int64_t kMostElements = std::int64_t{1} << 33;

std::string text(const Extents& extents) {
  std::string result;
  for (const std::int64_t extent : extents)
    result += (result.empty() ? "" : "x") + std::to_string(extent);
  return result;
}

/// Computes the shapes of the outputs of one node.
class Inference {
 public:
  Inference(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  std::vector<Extents> operator()(const Convolution& op) const {
    take_inputs(1, 2);
    expect_channels(op.inputs);
    Extents result = windowed(op.window);
    result[1] = op.outputs;
    expect_residual(result);
    return {result};
  }
  std::vector<Extents> operator()(const InvertedResidual& op) const {
    take_inputs(1, 2);
    expect_channels(op.expand.inputs);
    Extents result = windowed(op.depthwise.window);
    result[1] = op.project.outputs;
    expect_residual(result);
    return {result};
  }
  std::vector<Extents> operator()(const Stem& op) const {
    take_inputs(1, 1);
    expect_channels(op.layers.front().inputs);
    // All layers but the first keep the map's extents.
    Extents result = windowed(op.layers.front().window);
    result[1] = op.layers.back().outputs;
    return {result};
  }
  std::vector<Extents> operator()(const TransposedConvolution& op) const {
    take_inputs(1, 2);
    expect_channels(op.inputs);
    const Extents& in = map_extents(0);
    const Extents result{1, op.outputs, in[2] * op.factor, in[3] * op.factor};
    expect_residual(result);
    return {result};
  }
  std::vector<Extents> operator()(const PyramidStep& op) const {
    take_inputs(2, 2);
    expect_channels(op.up.inputs);
    const Extents& in = map_extents(0);
    const Extents fine{1, op.lateral.inputs, in[2] * op.up.factor, in[3] * op.up.factor};
    if (extents(1) != fine) fail("adds " + text(extents(1)) + " to " + text(fine));
    return {{1, op.up.outputs, fine[2], fine[3]}};
  }
  std::vector<Extents> operator()(const BatchNormalization& op) const {
    take_inputs(1, 1);
    expect_channels(static_cast<int>(op.scale.size()));
    return {map_extents(0)};
  }
  std::vector<Extents> operator()(const Activate&) const {
    take_inputs(1, 1);
    return {extents(0)};
  }
  std::vector<Extents> operator()(const Add&) const {
    take_inputs(2, 2);
    if (extents(0) != extents(1)) fail("adds " + text(extents(0)) + " and " + text(extents(1)));
    return {extents(0)};
  }
  std::vector<Extents> operator()(const Multiply&) const {
    take_inputs(2, 2);
    if (extents(0) != extents(1))
      fail("multiplies " + text(extents(0)) + " by " + text(extents(1)));
    return {extents(0)};
  }
  std::vector<Extents> operator()(const LeakyRelu&) const {
    take_inputs(1, 1);
    return {extents(0)};
  }
  std::vector<Extents> operator()(const Concat&) const {
    take_inputs(1, node_.inputs.size());
    Extents result = map_extents(0);
    for (std::size_t i = 1; i < node_.inputs.size(); ++i) {
      const Extents& in = map_extents(i);
      if (in[2] != result[2] || in[3] != result[3])
        fail("joins " + text(result) + " and " + text(in));
      result[1] += in[1];
    }
    return {result};
  }
  std::vector<Extents> operator()(const Shuffle& op) const {
    take_inputs(1, 1);
    if (op.groups < 1 || map_extents(0)[1] % op.groups != 0)
      fail("can't make " + std::to_string(op.groups) + " groups of " + text(extents(0)));
    return {extents(0)};
  }
  std::vector<Extents> operator()(const MaxPool& op) const {
    take_inputs(1, 1);
    return {windowed(op.window)};
  }
  std::vector<Extents> operator()(const Upsample& op) const {
    take_inputs(1, 2);
    const Extents& in = map_extents(0);
    const Extents result{1, in[1], in[2] * op.factor, in[3] * op.factor};
    expect_residual(result);
    return {result};
  }
  std::vector<Extents> operator()(const Transpose& op) const {
    take_inputs(1, 1);
    const Extents& in = extents(0);
    std::vector<int> sorted = op.order;
    std::sort(sorted.begin(), sorted.end());
    Extents result;
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (sorted.size() != in.size() || sorted[i] != static_cast<int>(i))
        fail("its \"perm\" is not an order of the axes of " + text(in));
    for (const int axis : op.order) result.push_back(in[static_cast<std::size_t>(axis)]);
    return {result};
  }
  std::vector<Extents> operator()(const Reshape& op) const {
    take_inputs(1, 1);
    return {reshaped(op)};
  }
  std::vector<Extents> operator()(const Split& op) const {
    take_inputs(1, 1);
    expect_channels(std::accumulate(op.channels.begin(), op.channels.end(), 0));
    std::vector<Extents> results;
    for (const int channels : op.channels) {
      results.push_back(map_extents(0));
      results.back()[1] = channels;
    }
    return results;
  }
  /// infer_shapes() handles these operators, because their results also have types.
  std::vector<Extents> operator()(const RowOperator&) const { fail("has no map as its result"); }
  std::vector<Extents> operator()(const PairChains& op) const {
    std::size_t inputs = 0;
    for (const PairChain& chain : op.chains) inputs += chain.input_count();
    take_inputs(inputs, inputs);
    std::vector<Extents> results;
    std::size_t input = 0;
    for (const PairChain& chain : op.chains) {
      append_outputs(chain, input, results);
      input += chain.input_count();
    }
    return results;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const { refuse(graph_, node_, reason); }

  void take_inputs(std::size_t fewest, std::size_t most) const {
    if (node_.inputs.size() < fewest || node_.inputs.size() > most)
      fail("can't take " + std::to_string(node_.inputs.size()) + " inputs");
  }
  [[nodiscard]] const Extents& extents(std::size_t input) const {
    return graph_.value(node_.inputs[input]).extents;
  }
  [[nodiscard]] const Extents& map_extents(std::size_t input) const {
    const Extents& result = extents(input);
    if (result.size() != 4 || result[0] != 1) fail("takes maps, not " + text(result));
    return result;
  }
  void expect_channels(int channels) const {
    if (map_extents(0)[1] != channels)
      fail("its weights are for " + std::to_string(channels) + " channels, its input is " +
           text(extents(0)));
  }
  void expect_residual(const Extents& result) const {
    if (node_.inputs.size() == 2 && extents(1) != result)
      fail("adds " + text(extents(1)) + " to " + text(result));
  }

  [[nodiscard]] Extents windowed(const Window& window) const {
    const Extents& in = map_extents(0);
    const std::int64_t height = in[2] + window.top + window.bottom - window.kernel_height;
    const std::int64_t width = in[3] + window.left + window.right - window.kernel_width;
    if (height < 0 || width < 0) fail("its window is larger than its input " + text(in));
    return {1, in[1], height / window.stride_y + 1, width / window.stride_x + 1};
  }

  [[nodiscard]] Extents reshaped(const Reshape& op) const {
    const Extents& in = extents(0);
    Extents result = op.extents;
    std::int64_t left = std::accumulate(in.begin(), in.end(), std::int64_t{1}, std::multiplies<>());
    int open = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (result[i] == 0 && i < in.size()) result[i] = in[i];
      if (result[i] == -1) {
        ++open;
      } else {
        if (result[i] < 1 || left % result[i] != 0) fail("can't become " + text(op.extents));
        left /= result[i];
      }
    }
    if (open > 1 || (open == 0 && left != 1)) fail("can't become " + text(op.extents));
    std::replace(result.begin(), result.end(), std::int64_t{-1}, left);
    return result;
  }

  void append_outputs(const PairChain& chain, std::size_t input,
                      std::vector<Extents>& results) const {
    Extents map = map_extents(input);
    if (chain.upsampled) {
      map[2] *= 2;
      map[3] *= 2;
      if (extents(input + 1) != map) fail("adds " + text(extents(input + 1)) + " to " + text(map));
    }
    const Pair& pair = chain.pair;
    if (map[1] != pair.pointwise.inputs || pair.pointwise.outputs != pair.depthwise.inputs)
      fail("its weights don't fit the channels of " + text(map));
    map[1] = pair.depthwise.outputs;
    if (chain.keeps) results.push_back(map);
    if (chain.pools) results.push_back({1, map[1], map[2] / 2, map[3] / 2});
  }

  const Graph& graph_;
  const Node& node_;
};

void check_size(const Graph& graph, const Node& node, const Extents& extents) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : extents) {
    if (extent < 1 || extent > kMostElements / elements)
      refuse(graph, node, "would compute " + text(extents));
    elements *= extent;
  }
  if (extents.size() != 4) return;
  if (extents[1] > kMostChannels || std::max(extents[2], extents[3]) > 2 * kMaxPictureSide)
    refuse(graph, node, "would compute " + text(extents));
}

/// Sets the types of the results of an operator on rows.
void infer_rows(Graph& graph, const Node& node, const RowOperator& op) {
  std::vector<RowType> inputs;
  for (const ValueId input : node.inputs)
    inputs.push_back({graph.value(input).extents, graph.value(input).integers});
  std::vector<RowType> types =
      row_types(op, inputs, node.outputs.size(),
                [&](const std::string& reason) { refuse(graph, node, reason); });
  for (std::size_t i = 0; i < types.size(); ++i) {
    check_size(graph, node, types[i].extents);
    graph.value(node.outputs[i]).extents = std::move(types[i].extents);
    graph.value(node.outputs[i]).integers = std::move(types[i].integers);
  }
}

/// Returns the ranges of the integers in the results of a node that isn't an operator on rows. Such
/// a node computes floats, or arranges the numbers of its input.
std::vector<IntegerRange> arranged_integers(const Graph& graph, const Node& node) {
  const bool arranges =
      std::holds_alternative<Reshape>(node.op) || std::holds_alternative<Transpose>(node.op);
  for (const ValueId input : node.inputs)
    if (!graph.value(input).integers.empty() && !arranges)
      refuse(graph, node, "can't compute integers");
  const std::vector<IntegerRange>& ranges = graph.value(node.inputs.front()).integers;
  return ranges.empty() ? ranges : std::vector{joined(ranges)};
}

}  // namespace

void infer_shapes(Graph& graph, Size size) {
  graph.value(graph.input).extents = {1, graph.input_channels, size.height, size.width};
  for (const Node& node : graph.nodes) {
    if (const auto* const rows = std::get_if<RowOperator>(&node.op)) {
      infer_rows(graph, node, *rows);
      continue;
    }
    const std::vector<Extents> shapes = std::visit(Inference(graph, node), node.op);
    if (shapes.size() != node.outputs.size()) refuse(graph, node, "has a wrong number of outputs");
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      check_size(graph, node, shapes[i]);
      graph.value(node.outputs[i]).extents = shapes[i];
      graph.value(node.outputs[i]).integers = arranged_integers(graph, node);
    }
  }
}

}  // namespace facepipe::detector::graph
