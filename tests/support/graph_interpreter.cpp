#include "tests/support/graph_interpreter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace facepipe::test {
namespace {

using detector::graph::Graph;
using detector::graph::MapShape;
using detector::graph::Node;

std::size_t index_of(const MapShape& shape, int c, int y, int x) {
  return (static_cast<std::size_t>(c) * static_cast<std::size_t>(shape.height) +
          static_cast<std::size_t>(y)) *
             static_cast<std::size_t>(shape.width) +
         static_cast<std::size_t>(x);
}

std::size_t size_of(const MapShape& shape) { return index_of(shape, shape.channels, 0, 0); }

float activated(double value, detector::graph::Activation activation) {
  if (activation == detector::graph::Activation::relu) value = std::max(value, 0.0);
  if (activation == detector::graph::Activation::sigmoid) value = 1 / (1 + std::exp(-value));
  if (activation == detector::graph::Activation::silu) value = value / (1 + std::exp(-value));
  return static_cast<float>(value);
}

/// Runs one node in plain loops. The shapes of its inputs and outputs come from the graph.
class Loops {
 public:
  Loops(const Graph& graph, const Node& node, const std::vector<const Tensor*>& inputs)
      : graph_(graph), node_(node), inputs_(inputs), in_(*inputs[0]) {}

  std::vector<Tensor> operator()(const detector::graph::Convolution& op) const {
    return with_residual(convolve(op, in_, input_shape(), output_shape()));
  }
  std::vector<Tensor> operator()(const detector::graph::InvertedResidual& op) const {
    MapShape shape = input_shape();
    Tensor value = in_;
    for (const detector::graph::Convolution* const part :
         {&op.expand, &op.depthwise, &op.project}) {
      MapShape to = shape;
      to.channels = part->outputs;
      if (part == &op.depthwise) {
        to.height = output_shape().height;
        to.width = output_shape().width;
      }
      value = convolve(*part, value, shape, to);
      shape = to;
    }
    return with_residual(value);
  }
  std::vector<Tensor> operator()(const detector::graph::TransposedConvolution& op) const {
    const MapShape from = input_shape();
    const MapShape to = output_shape();
    const int f = op.factor;
    Tensor out(size_of(to));
    for (int o = 0; o < to.channels; ++o)
      for (int y = 0; y < to.height; ++y)
        for (int x = 0; x < to.width; ++x) {
          double sum = op.bias[static_cast<std::size_t>(o)];
          for (int i = 0; i < from.channels; ++i) {
            const int weight = ((i * op.outputs + o) * f + y % f) * f + x % f;
            sum += static_cast<double>(in_[index_of(from, i, y / f, x / f)]) *
                   op.weights[static_cast<std::size_t>(weight)];
          }
          out[index_of(to, o, y, x)] = activated(sum, op.activation);
        }
    return with_residual(out);
  }
  std::vector<Tensor> operator()(const detector::graph::Stem& op) const {
    Graph layers;
    layers.input_channels = input_shape().channels;
    layers.input = layers.add_value("input");
    for (const detector::graph::Convolution& layer : op.layers)
      append_node(layers, layer, {static_cast<detector::graph::ValueId>(layers.values.size()) - 1});
    return {run(layers, in_)};
  }
  std::vector<Tensor> operator()(const detector::graph::PyramidStep& op) const {
    const MapShape fine = graph_.map(node_.inputs[1]);
    Graph lateral;
    lateral.input_channels = fine.channels;
    lateral.input = lateral.add_value("input");
    append_node(lateral, op.lateral, {lateral.input});
    detector::graph::infer_shapes(lateral, {fine.width, fine.height});
    const Tensor side = interpret(lateral, *inputs_[1]).back();
    const Node up{"", op.up, {node_.inputs[0]}, node_.outputs};
    Tensor out = interpret_node(graph_, up, {&in_})[0];
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += side[i];
    return {out};
  }
  std::vector<Tensor> operator()(const detector::graph::BatchNormalization& op) const {
    const MapShape shape = input_shape();
    Tensor out = in_;
    const std::size_t plane = index_of(shape, 1, 0, 0);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = op.scale[i / plane] * out[i] + op.shift[i / plane];
    return {out};
  }
  std::vector<Tensor> operator()(const detector::graph::Activate& op) const {
    Tensor out = in_;
    for (float& value : out) value = activated(value, op.function);
    return {out};
  }
  std::vector<Tensor> operator()(const detector::graph::Add&) const { return with_residual(in_); }
  std::vector<Tensor> operator()(const detector::graph::Multiply&) const {
    Tensor out = in_;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] *= (*inputs_[1])[i];
    return {out};
  }
  std::vector<Tensor> operator()(const detector::graph::LeakyRelu& op) const {
    Tensor out = in_;
    for (float& value : out) value = value > 0 ? value : op.slope * value;
    return {out};
  }
  std::vector<Tensor> operator()(const detector::graph::Concat&) const {
    Tensor out;
    for (const Tensor* const input : inputs_) out.insert(out.end(), input->begin(), input->end());
    return {out};
  }
  std::vector<Tensor> operator()(const detector::graph::Shuffle& op) const {
    const MapShape shape = input_shape();
    const int members = shape.channels / op.groups;
    const auto plane = static_cast<std::ptrdiff_t>(index_of(shape, 1, 0, 0));
    Tensor out;
    for (int member = 0; member < members; ++member)
      for (int group = 0; group < op.groups; ++group) {
        const auto from = in_.begin() + plane * (group * members + member);
        out.insert(out.end(), from, from + plane);
      }
    return {out};
  }
  std::vector<Tensor> operator()(const detector::graph::MaxPool& op) const {
    const MapShape from = input_shape();
    const MapShape to = output_shape();
    Tensor out(size_of(to), -std::numeric_limits<float>::infinity());
    for (int c = 0; c < to.channels; ++c)
      for (int y = 0; y < to.height; ++y)
        for (int x = 0; x < to.width; ++x)
          for (int ky = 0; ky < op.window.kernel_height; ++ky)
            for (int kx = 0; kx < op.window.kernel_width; ++kx) {
              const int sy = y * op.window.stride_y - op.window.top + ky;
              const int sx = x * op.window.stride_x - op.window.left + kx;
              if (sy < 0 || sy >= from.height || sx < 0 || sx >= from.width) continue;
              float& best = out[index_of(to, c, y, x)];
              best = std::max(best, in_[index_of(from, c, sy, sx)]);
            }
    return {out};
  }
  std::vector<Tensor> operator()(const detector::graph::Upsample& op) const {
    const MapShape from = input_shape();
    const MapShape to = output_shape();
    Tensor out(size_of(to));
    for (int c = 0; c < to.channels; ++c)
      for (int y = 0; y < to.height; ++y)
        for (int x = 0; x < to.width; ++x)
          out[index_of(to, c, y, x)] = in_[index_of(from, c, y / op.factor, x / op.factor)];
    return with_residual(out);
  }
  std::vector<Tensor> operator()(const detector::graph::Transpose& op) const {
    const std::vector<std::int64_t>& from = graph_.value(node_.inputs[0]).extents;
    const std::vector<std::int64_t>& to = graph_.value(node_.outputs[0]).extents;
    Tensor out(in_.size());
    std::vector<std::int64_t> place(from.size());  // index of the element in the output, along each
                                                   // axis
    for (float& value : out) {
      std::size_t source = 0;
      for (std::size_t axis = 0; axis < from.size(); ++axis) {
        const auto at = std::find(op.order.begin(), op.order.end(), static_cast<int>(axis));
        source = source * static_cast<std::size_t>(from[axis]) +
                 static_cast<std::size_t>(place[static_cast<std::size_t>(at - op.order.begin())]);
      }
      value = in_[source];
      for (std::size_t axis = to.size(); axis-- > 0 && ++place[axis] == to[axis];) place[axis] = 0;
    }
    return {out};
  }
  std::vector<Tensor> operator()(const detector::graph::Reshape&) const { return {in_}; }
  std::vector<Tensor> operator()(const detector::graph::Split& op) const {
    const std::size_t plane = index_of(input_shape(), 1, 0, 0);
    std::vector<Tensor> out;
    auto at = in_.begin();
    for (const int channels : op.channels) {
      const auto end = at + static_cast<std::ptrdiff_t>(plane) * channels;
      out.emplace_back(at, end);
      at = end;
    }
    return out;
  }
  /// The interpreter of ONNX computes these operators, because only libraries run them.
  std::vector<Tensor> operator()(const detector::graph::RowOperator& op) const {
    throw std::logic_error("the interpreter of graphs doesn't know " + op.type);
  }
  /// Runs the operators of a fused chain as a separate graph.
  std::vector<Tensor> operator()(const detector::graph::PairChains& op) const {
    std::vector<Tensor> out;
    std::size_t input = 0;
    for (const detector::graph::PairChain& chain : op.chains) {
      add_chain(chain, input, out);
      input += chain.input_count();
    }
    return out;
  }

 private:
  void add_chain(const detector::graph::PairChain& chain, std::size_t input,
                 std::vector<Tensor>& out) const {
    Graph plain;
    plain.values.push_back(graph_.value(node_.inputs[input]));
    detector::graph::ValueId value = 0;
    std::vector<Tensor> values{*inputs_[input]};
    const auto append = [&](detector::graph::Operator part,
                            const std::vector<detector::graph::ValueId>& from) {
      const detector::graph::ValueId to = plain.add_value("");
      plain.nodes.push_back({"", std::move(part), from, {to}});
      const MapShape shape = plain.map(plain.input);
      plain.input_channels = shape.channels;
      detector::graph::infer_shapes(plain, {shape.width, shape.height});
      std::vector<const Tensor*> inputs;
      for (const detector::graph::ValueId id : from)
        inputs.push_back(&values[static_cast<std::size_t>(id)]);
      values.push_back(interpret_node(plain, plain.nodes.back(), inputs)[0]);
      return to;
    };
    if (chain.upsampled) {
      const detector::graph::ValueId other = plain.add_value("");
      plain.value(other).extents = graph_.value(node_.inputs[input + 1]).extents;
      values.push_back(*inputs_[input + 1]);
      value = append(detector::graph::Upsample{2}, {value, other});
    }
    value = append(chain.pair.depthwise, {append(chain.pair.pointwise, {value})});
    if (chain.keeps) out.push_back(values[static_cast<std::size_t>(value)]);
    if (!chain.pools) return;
    const detector::graph::ValueId pooled =
        append(detector::graph::MaxPool{{2, 2, 2, 2, 0, 0, 0, 0}}, {value});
    out.push_back(values[static_cast<std::size_t>(pooled)]);
  }

  struct Channels {
    int output;
    int group_input;
    int input;
  };

  [[nodiscard]] MapShape input_shape() const { return graph_.map(node_.inputs[0]); }
  [[nodiscard]] MapShape output_shape() const { return graph_.map(node_.outputs[0]); }

  static void append_node(Graph& graph, detector::graph::Operator op,
                          std::vector<detector::graph::ValueId> inputs) {
    const detector::graph::ValueId output = graph.add_value("");
    graph.nodes.push_back({"", std::move(op), std::move(inputs), {output}});
  }

  /// Runs a graph that is equivalent to this node. Returns the graph's last value.
  [[nodiscard]] Tensor run(Graph& graph, const Tensor& input) const {
    const MapShape from = input_shape();
    detector::graph::infer_shapes(graph, {from.width, from.height});
    return interpret(graph, input).back();
  }

  std::vector<Tensor> with_residual(Tensor out) const {
    if (inputs_.size() > 1)
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += (*inputs_[1])[i];
    return {out};
  }

  static Tensor convolve(const detector::graph::Convolution& op, const Tensor& in,
                         const MapShape& from, const MapShape& to) {
    const int group_inputs = op.inputs / op.groups;
    const int group_outputs = op.outputs / op.groups;
    Tensor out(size_of(to));
    std::vector<double> row(static_cast<std::size_t>(to.width));
    for (int o = 0; o < to.channels; ++o)
      for (int y = 0; y < to.height; ++y) {
        std::fill(row.begin(), row.end(), op.bias[static_cast<std::size_t>(o)]);
        for (int i = 0; i < group_inputs; ++i)
          add_window(op, {o, i, o / group_outputs * group_inputs + i}, in, from, y, row);
        for (int x = 0; x < to.width; ++x)
          out[index_of(to, o, y, x)] = activated(row[static_cast<std::size_t>(x)], op.activation);
      }
    return out;
  }

  static void add_window(const detector::graph::Convolution& op, const Channels& channels,
                         const Tensor& in, const MapShape& from, int y, std::vector<double>& row) {
    const int group_inputs = op.inputs / op.groups;
    const detector::graph::Window& window = op.window;
    for (int ky = 0; ky < window.kernel_height; ++ky)
      for (int kx = 0; kx < window.kernel_width; ++kx) {
        const int sy = y * window.stride_y - window.top + ky;
        if (sy < 0 || sy >= from.height) continue;
        const int tap =
            ((channels.output * group_inputs + channels.group_input) * window.kernel_height + ky) *
                window.kernel_width +
            kx;
        const double weight = op.weights[static_cast<std::size_t>(tap)];
        for (int x = 0; x < static_cast<int>(row.size()); ++x) {
          const int sx = x * window.stride_x - window.left + kx;
          if (sx < 0 || sx >= from.width) continue;
          row[static_cast<std::size_t>(x)] +=
              weight * static_cast<double>(in[index_of(from, channels.input, sy, sx)]);
        }
      }
  }

  const Graph& graph_;
  const Node& node_;
  const std::vector<const Tensor*>& inputs_;
  const Tensor& in_;
};

/// Converts a map's planes to cells. A cell holds all channels of a pixel.
Tensor as_cells(const Tensor& planes, const MapShape& shape) {
  Tensor cells;
  for (int y = 0; y < shape.height; ++y)
    for (int x = 0; x < shape.width; ++x)
      for (int c = 0; c < shape.channels; ++c) cells.push_back(planes[index_of(shape, c, y, x)]);
  return cells;
}

}  // namespace

std::vector<Tensor> interpret_node(const Graph& graph, const Node& node,
                                   const std::vector<const Tensor*>& inputs) {
  return std::visit(Loops(graph, node, inputs), node.op);
}

std::vector<Tensor> interpret(const Graph& graph, const Tensor& input) {
  std::vector<Tensor> values(graph.values.size());
  values[static_cast<std::size_t>(graph.input)] = input;
  for (const Node& node : graph.nodes) {
    std::vector<const Tensor*> inputs;
    for (const detector::graph::ValueId id : node.inputs)
      inputs.push_back(&values[static_cast<std::size_t>(id)]);
    std::vector<Tensor> outputs = interpret_node(graph, node, inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      values[static_cast<std::size_t>(node.outputs[i])] = std::move(outputs[i]);
  }
  return values;
}

std::vector<Tensor> interpret_outputs(const Graph& graph, const Tensor& input) {
  const std::vector<Tensor> values = interpret(graph, input);
  std::vector<Tensor> outputs;
  for (const detector::graph::Output& output : graph.outputs) {
    const Tensor& value = values[static_cast<std::size_t>(output.value)];
    outputs.push_back(output.layout == detector::graph::OutputLayout::cells
                          ? as_cells(value, graph.map(output.value))
                          : value);
  }
  return outputs;
}

}  // namespace facepipe::test
