#include "tests/support/graph_builder.h"

#include <cmath>

namespace facepipe::test {

using detector::graph::ValueId;

GraphBuilder::GraphBuilder(int channels, Size size, unsigned seed) : size_(size), random_(seed) {
  graph_.source = "built";
  graph_.input_channels = channels;
  graph_.input = graph_.add_value("input");
  detector::graph::infer_shapes(graph_, size_);
}

std::vector<float> GraphBuilder::random(std::size_t count, float spread) {
  std::uniform_real_distribution<float> distribution(-spread, spread);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(random_);
  return values;
}

int GraphBuilder::channels(ValueId value) const { return graph_.map(value).channels; }

ValueId GraphBuilder::node(detector::graph::Operator op, const std::vector<ValueId>& inputs) {
  const std::string name = "node" + std::to_string(graph_.nodes.size());
  const ValueId output = graph_.add_value(name);
  graph_.nodes.push_back({name, std::move(op), inputs, {output}});
  detector::graph::infer_shapes(graph_, size_);
  return output;
}

ValueId GraphBuilder::convolution(ValueId x, const ConvolutionSpec& spec,
                                  const std::vector<ValueId>& residual) {
  detector::graph::Convolution op;
  op.window = {spec.kernel, spec.kernel, spec.stride, spec.stride,
               spec.pad,    spec.pad,    spec.pad,    spec.pad};
  op.inputs = channels(x);
  op.outputs = spec.depthwise ? op.inputs : spec.outputs;
  op.groups = spec.depthwise ? op.inputs : 1;
  const int fan_in = op.inputs / op.groups * op.window.taps();
  op.weights = random(static_cast<std::size_t>(op.outputs * fan_in),
                      std::sqrt(3.0F / static_cast<float>(fan_in)));
  op.bias = random(static_cast<std::size_t>(op.outputs), 0.5F);
  op.activation = spec.activation;
  std::vector<ValueId> inputs{x};
  inputs.insert(inputs.end(), residual.begin(), residual.end());
  return node(std::move(op), inputs);
}

ValueId GraphBuilder::transposed(ValueId x, int outputs, detector::graph::Activation activation,
                                 const std::vector<ValueId>& residual) {
  detector::graph::TransposedConvolution op;
  op.inputs = channels(x);
  op.outputs = outputs;
  op.weights = random(static_cast<std::size_t>(op.inputs * outputs * op.factor * op.factor),
                      std::sqrt(3.0F / static_cast<float>(op.inputs)));
  op.bias = random(static_cast<std::size_t>(outputs), 0.5F);
  op.activation = activation;
  std::vector<ValueId> inputs{x};
  inputs.insert(inputs.end(), residual.begin(), residual.end());
  return node(std::move(op), inputs);
}

ValueId GraphBuilder::batch_norm(ValueId x) {
  const auto count = static_cast<std::size_t>(channels(x));
  return node(detector::graph::BatchNormalization{random(count, 1.5F), random(count, 0.5F)}, {x});
}

std::vector<ValueId> GraphBuilder::split(ValueId x, const std::vector<int>& channels) {
  const std::string name = "node" + std::to_string(graph_.nodes.size());
  std::vector<ValueId> parts;
  for (std::size_t i = 0; i < channels.size(); ++i)
    parts.push_back(graph_.add_value(name + "." + std::to_string(i)));
  graph_.nodes.push_back({name, detector::graph::Split{channels}, {x}, parts});
  detector::graph::infer_shapes(graph_, size_);
  return parts;
}

void GraphBuilder::output(ValueId value) { output(value, graph_.value(value).name); }

void GraphBuilder::output(ValueId value, const std::string& name) {
  graph_.outputs.push_back({name, value, detector::graph::OutputLayout::as_computed});
}

Tensor GraphBuilder::noise() {
  return random(static_cast<std::size_t>(graph_.input_channels) *
                    static_cast<std::size_t>(size_.width) * static_cast<std::size_t>(size_.height),
                1);
}

}  // namespace facepipe::test
