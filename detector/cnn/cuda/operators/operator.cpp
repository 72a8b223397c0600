#include "detector/cnn/cuda/operators/operator.h"

#include <algorithm>
#include <variant>

namespace facepipe::detector::engine {

std::unique_ptr<Operator> make_operator(const NodeContext& context, WeightPacker& packer) {
  static constexpr MakeOperator kMakers[] = {
      make_depthwise, make_convolution,       make_pooling, make_upsample, make_elementwise,
      make_channels,  make_inverted_residual, make_pairs,   make_stem,     make_pyramid_step};
  for (const MakeOperator make : kMakers)
    if (auto result = make(context, packer)) return result;
  refuse_node(context.graph, context.node, "the CUDA engine has no kernel for it");
}

cuda::DeviceBuffer<std::byte> WeightPacker::upload() const {
  cuda::DeviceBuffer<std::byte> weights(bytes_.size());
  const cuda::Stream stream;
  cuda::copy(weights.span(), std::span<const std::byte>(bytes_), stream);
  stream.synchronize();
  return weights;
}

namespace {

enum class Placed { alone, maybe_within };

void check_placement(const NodeContext& context, const Placement& place, Placed allowed, bool f32) {
  // A part has the pitch of the whole value.
  const bool plain = place.first_channel == 0 && place.pitch - place.shape.channels < kChannelStep;
  const bool fits = allowed == Placed::alone ? plain : place.first_channel % kChannelStep == 0;
  if (!fits)
    refuse_node(context.graph, context.node,
                "the CUDA engine can't compute it of a part of another value");
  if (place.pending != graph::Activation::none || place.image ||
      (place.element == Element::f32 && !f32))
    refuse_node(context.graph, context.node,
                "the CUDA engine can't compute it among the network's last layers");
}

void check_placements(const NodeContext& context, Placed allowed, bool f32_output) {
  for (const Placement& input : context.inputs) check_placement(context, input, allowed, false);
  for (const Placement& output : context.outputs)
    check_placement(context, output, allowed, f32_output);
}

}  // namespace

void expect_plain(const NodeContext& context, bool f32_output) {
  check_placements(context, Placed::alone, f32_output);
}

void expect_parts(const NodeContext& context, bool f32_output) {
  check_placements(context, Placed::maybe_within, f32_output);
}

void refuse_node(const graph::Graph& graph, const graph::Node& node, const std::string& reason) {
  // OpenCV lacks some of the operators on rows. If it lacks one, it says so itself.
  const bool rows = std::ranges::any_of(graph.nodes, [](const graph::Node& other) {
    return std::holds_alternative<graph::RowOperator>(other.op);
  });
  graph::refuse(
      graph, node,
      reason + "; --device cpu computes it" + (rows ? "" : ", and so does --engine opencv"));
}

}  // namespace facepipe::detector::engine
