#include "detector/cnn/cuda/operators/operator.h"

namespace facepipe::detector::engine {

std::unique_ptr<Operator> make_operator(const NodeContext& context, WeightPacker& packer) {
  static constexpr MakeOperator kMakers[] = {
      make_depthwise,         make_convolution, make_pooling, make_upsample,    make_elementwise,
      make_inverted_residual, make_pairs,       make_stem,    make_pyramid_step};
  for (const MakeOperator make : kMakers)
    if (auto result = make(context, packer)) return result;
  graph::refuse(context.graph, context.node, "the CUDA engine has no kernel for it");
}

cuda::DeviceBuffer<std::byte> WeightPacker::upload() const {
  cuda::DeviceBuffer<std::byte> weights(bytes_.size());
  const cuda::Stream stream;
  cuda::copy(weights.span(), std::span<const std::byte>(bytes_), stream);
  stream.synchronize();
  return weights;
}

void expect_plain(const NodeContext& context, bool f32_output) {
  constexpr int kChannelStep = 8;  // a pixel of a part is as far from the next as one of the whole
  const auto check = [&](const Placement& place, bool f32) {
    if (place.first_channel != 0 || place.pitch - place.shape.channels >= kChannelStep)
      graph::refuse(context.graph, context.node,
                    "the CUDA engine can't compute it of a part of another value");
    if (place.pending != graph::Activation::none || place.image ||
        (place.element == Element::f32 && !f32))
      graph::refuse(context.graph, context.node,
                    "the CUDA engine can't compute it among the network's last layers");
  };
  for (const Placement& input : context.inputs) check(input, false);
  for (const Placement& output : context.outputs) check(output, f32_output);
}

}  // namespace facepipe::detector::engine
