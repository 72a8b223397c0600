#include "detector/cnn/model/canonical/passes.h"
#include "detector/cnn/model/canonical/symbolic_shapes.h"

namespace facepipe::detector {
namespace {

/// Returns the whole factor by which each axis grows, or nullopt if an axis has no such factor.
std::optional<std::vector<std::int64_t>> whole_factors(const SizeExtents& from,
                                                       const SizeExtents& to) {
  if (from.size() != to.size()) return std::nullopt;
  std::vector<std::int64_t> factors;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto ratio = quotient(to[i], from[i]);
    const auto factor = ratio ? ratio->integer() : std::nullopt;
    if (!factor || *factor < 1) return std::nullopt;
    factors.push_back(*factor);
  }
  return factors;
}

/// Returns whether pixel x of the result is pixel x / factor of the input, rounded down. ONNX can
/// say this in three ways. The first is "asymmetric" coordinates, rounded down. The second is
/// "half_pixel" coordinates, rounded to the nearest pixel: no pixel is exactly between two others.
/// The third is for the factor 2: "asymmetric" coordinates, of which .5 is rounded down.
bool repeats_pixels(const graph::OnnxNode& node, std::int64_t factor) {
  const std::string coordinates = node.text("coordinate_transformation_mode", "half_pixel");
  const std::string rounding = node.text("nearest_mode", "round_prefer_floor");
  const bool rounds = rounding == "round_prefer_floor" || rounding == "round_prefer_ceil";
  if (coordinates == "half_pixel") return rounds;
  if (coordinates != "asymmetric") return false;
  return rounding == "floor" || (rounding == "round_prefer_floor" && factor == 2);
}

void write_resize(onnx::NodeProto& node, const std::string& scales) {
  constexpr int kInputs = 3;
  node.set_input(kInputs - 1, scales);
  if (node.input_size() > kInputs) node.mutable_input()->RemoveLast();
  set_text(node, "coordinate_transformation_mode", "asymmetric");
  set_text(node, "nearest_mode", "floor");
  // These attributes have an effect only in other modes.
  for (const char* const name : {"antialias", "exclude_outside", "extrapolation_value"})
    erase_attribute(node, name);
}

}  // namespace

void free_resizes(Rewriting& to) {
  const SymbolicShapes shapes(to);
  const OnnxIndex index(to.graph());
  for (onnx::NodeProto& proto : *to.graph().mutable_node()) {
    const graph::OnnxNode node(proto, index.weights(), to.source());
    const bool has_roi = proto.input_size() == 3 || proto.input_size() == 4;
    if (proto.op_type() != "Resize" || !has_roi || proto.output_size() != 1) continue;
    const SizeExtents* const from = shapes.extents(proto.input(0));
    const SizeExtents* const result = shapes.extents(proto.output(0));
    if (from == nullptr || result == nullptr || node.text("mode", "nearest") != "nearest") continue;
    const auto factors = whole_factors(*from, *result);
    if (!factors || !repeats_pixels(node, factors->back())) continue;
    const std::vector<float> scales(factors->begin(), factors->end());
    write_resize(proto, to.add_weights(proto.output(0) + ".scales",
                                       {static_cast<std::int64_t>(scales.size())}, scales));
  }
}

}  // namespace facepipe::detector
