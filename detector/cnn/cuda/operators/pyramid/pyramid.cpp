#include "detector/cnn/cuda/operators/pyramid/pyramid.h"

#include <limits>
#include <variant>

#include "detector/cnn/cuda/operators/lane_weights.h"

namespace facepipe::detector::engine {
namespace {

constexpr int kTile = 8;
constexpr int kSubPixels = 4;

int tiles_of(int channels) { return (channels + kTile - 1) / kTile; }

std::size_t append_bias(const std::vector<float>& bias, WeightPacker& packer) {
  std::vector<float> padded = bias;
  padded.resize(static_cast<std::size_t>(tiles_of(static_cast<int>(bias.size())) * kTile));
  return packer.append(std::span<const float>(padded));
}

float least(bool relu) { return relu ? 0 : -std::numeric_limits<float>::infinity(); }

class PyramidOperator : public Operator {
 public:
  PyramidOperator(const NodeContext& context, const graph::PyramidStep& op, WeightPacker& packer)
      : coarse_(context.inputs[0]),
        fine_(context.inputs[1]),
        output_(context.outputs[0]),
        weights_(op, coarse_.pitch, fine_.pitch, packer),
        overlap_(overlap_of(context.chip)) {}

  void enqueue(const Memory& memory, cuda::StreamView stream) const override {
    PyramidArguments arguments{};
    weights_.fill(arguments, memory);
    arguments.coarse = value_pointer<__half>(memory, coarse_);
    arguments.fine = value_pointer<__half>(memory, fine_);
    arguments.coarse_pitch = coarse_.pitch;
    arguments.fine_pitch = fine_.pitch;
    arguments.height = fine_.shape.height;
    arguments.width = fine_.shape.width;
    launch_pyramid(output_.pitch / kTile, arguments, value_pointer<__half>(memory, output_),
                   output_.pitch, overlap_, stream);
  }

 private:
  Placement coarse_;
  Placement fine_;
  Placement output_;
  PyramidWeights weights_;
  cuda::Overlap overlap_;
};

}  // namespace

PyramidWeights::PyramidWeights(const graph::PyramidStep& op, int coarse_pitch, int fine_pitch,
                               WeightPacker& packer)
    : up_bias(append_bias(op.up.bias, packer)),
      lateral_bias(append_bias(op.lateral.bias, packer)),
      up_relu(op.up.activation == graph::Activation::relu),
      lateral_relu(op.lateral.activation == graph::Activation::relu) {
  const int tiles = tiles_of(op.up.outputs);
  std::vector<__half> halves;
  for (int sub = 0; sub < kSubPixels; ++sub)
    pack_channels(halves, coarse_pitch, tiles, [&](int input, int output) {
      if (input >= op.up.inputs || output >= op.up.outputs) return 0.0F;
      const int weight = (input * op.up.outputs + output) * kSubPixels + sub;
      return op.up.weights[static_cast<std::size_t>(weight)];
    });
  up = packer.append(std::span<const __half>(halves));
  halves.clear();
  pack_channels(halves, fine_pitch, tiles, [&](int input, int output) {
    if (input >= op.lateral.inputs || output >= op.lateral.outputs) return 0.0F;
    return op.lateral.weights[static_cast<std::size_t>(output * op.lateral.inputs + input)];
  });
  lateral = packer.append(std::span<const __half>(halves));
}

void PyramidWeights::fill(PyramidArguments& arguments, const Memory& memory) const {
  arguments.up = weight_pointer<uint2>(memory, up);
  arguments.lateral = weight_pointer<uint2>(memory, lateral);
  arguments.up_bias = weight_pointer<float>(memory, up_bias);
  arguments.lateral_bias = weight_pointer<float>(memory, lateral_bias);
  arguments.up_least = least(up_relu);
  arguments.lateral_least = least(lateral_relu);
}

std::unique_ptr<Operator> make_pyramid_step(const NodeContext& context, WeightPacker& packer) {
  const auto* const op = std::get_if<graph::PyramidStep>(&context.node.op);
  if (op == nullptr) return nullptr;
  expect_plain(context, false);
  return std::make_unique<PyramidOperator>(context, *op, packer);
}

}  // namespace facepipe::detector::engine
