#include "detector/cnn/model/canonical/passes.h"
#include "detector/cnn/model/canonical/symbolic_shapes.h"

namespace facepipe::detector {
namespace {

/// Replaces a mean over windows by a depthwise convolution with equal weights. This is possible
/// only if all windows divide by the same number of pixels: there must be no padding, or the
/// padding must count as pixels.
void write_mean(Rewriting& to, onnx::NodeProto& proto, const graph::Window& window,
                std::int64_t channels) {
  const auto taps = static_cast<std::size_t>(window.taps());
  const std::vector<float> values(static_cast<std::size_t>(channels) * taps,
                                  1.0F / static_cast<float>(taps));
  proto.add_input(to.add_weights(proto.output(0) + ".mean",
                                 {channels, 1, window.kernel_height, window.kernel_width}, values));
  proto.set_op_type("Conv");
  proto.clear_attribute();
  set_integer(proto, "group", channels);
  set_integers(proto, "kernel_shape", {window.kernel_height, window.kernel_width});
  set_integers(proto, "strides", {window.stride_y, window.stride_x});
  set_integers(proto, "pads", {window.top, window.left, window.bottom, window.right});
}

void simplify(Rewriting& to, onnx::NodeProto& proto, const graph::OnnxNode& node,
              const SymbolicShapes& shapes) {
  const SizeExtents* const map = shapes.extents(proto.input(0));
  const std::int64_t channels = shapes.channels(proto.input(0));
  if (map == nullptr || channels < 1) return;
  const auto down = pooled_extents(node, *map, false);
  const bool rounds = node.integer("ceil_mode", 0) != 0 && pooled_extents(node, *map, true) != down;
  if (!down || rounds) return;
  erase_attribute(proto, "ceil_mode");
  if (proto.op_type() != "AveragePool") return;
  const graph::Window window = node.window(std::nullopt);
  const bool padded = window.top + window.left + window.bottom + window.right > 0;
  if (padded && node.integer("count_include_pad", 0) == 0) return;
  write_mean(to, proto, window, channels);
}

}  // namespace

void simplify_pooling(Rewriting& to) {
  const SymbolicShapes shapes(to);
  const OnnxIndex index(to.graph());
  for (onnx::NodeProto& proto : *to.graph().mutable_node()) {
    const bool pools = proto.op_type() == "AveragePool" || proto.op_type() == "MaxPool";
    if (!pools || proto.input_size() != 1 || proto.output_size() != 1) continue;
    simplify(to, proto, graph::OnnxNode(proto, index.weights(), to.source()), shapes);
  }
}

}  // namespace facepipe::detector
