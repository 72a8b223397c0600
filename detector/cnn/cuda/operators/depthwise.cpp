#include "detector/cnn/cuda/operators/depthwise.h"

#include <variant>

#include "detector/cnn/cuda/operators/operator.h"

namespace facepipe::detector::engine {
namespace {

class DepthwiseOperator : public Operator {
 public:
  DepthwiseOperator(const NodeContext& context, const graph::Convolution& op, WeightPacker& packer)
      : inputs_(context.inputs), output_(context.outputs[0]) {
    // The output's pitch isn't used, because the output may be a part of a larger value.
    const int channels = padded(op.outputs);
    const int taps = op.window.taps();
    std::vector<float> weights(static_cast<std::size_t>(taps * channels));
    std::vector<float> bias(static_cast<std::size_t>(channels));
    for (int c = 0; c < op.outputs; ++c) {
      bias[static_cast<std::size_t>(c)] = op.bias[static_cast<std::size_t>(c)];
      for (int tap = 0; tap < taps; ++tap)
        weights[static_cast<std::size_t>(tap * channels + c)] =
            op.weights[static_cast<std::size_t>(c * taps + tap)];
    }
    weights_ = packer.append(std::span<const float>(weights));
    bias_ = packer.append(std::span<const float>(bias));
    arguments_.channels = channels;
    arguments_.input_height = inputs_[0].shape.height;
    arguments_.input_width = inputs_[0].shape.width;
    arguments_.input_pitch = inputs_[0].pitch;
    arguments_.output_height = output_.shape.height;
    arguments_.output_width = output_.shape.width;
    arguments_.output_pitch = output_.pitch;
    if (inputs_.size() > 1) arguments_.residual.pitch = inputs_[1].pitch;
    arguments_.window = op.window;
    arguments_.activation = op.activation;
  }

  void enqueue(const Memory& memory, cuda::StreamView stream) const override {
    DepthwiseArguments arguments = arguments_;
    arguments.input = value_pointer<__half>(memory, inputs_[0]);
    if (inputs_.size() > 1) arguments.residual.values = value_pointer<__half>(memory, inputs_[1]);
    arguments.output = value_address(memory, output_);
    arguments.weights = weight_pointer<float>(memory, weights_);
    arguments.bias = weight_pointer<float>(memory, bias_);
    launch_depthwise(output_.element == Element::f32, arguments, stream.get());
  }

 private:
  std::vector<Placement> inputs_;
  Placement output_;
  std::size_t weights_ = 0;
  std::size_t bias_ = 0;
  DepthwiseArguments arguments_{};
};

}  // namespace

std::unique_ptr<Operator> make_depthwise(const NodeContext& context, WeightPacker& packer) {
  const auto* const op = std::get_if<graph::Convolution>(&context.node.op);
  if (op == nullptr || !op->depthwise()) return nullptr;
  expect_parts(context, true);
  return std::make_unique<DepthwiseOperator>(context, *op, packer);
}

}  // namespace facepipe::detector::engine
