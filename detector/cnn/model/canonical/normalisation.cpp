#include "detector/cnn/model/canonical/normalisation.h"

#include <algorithm>

#include "detector/cnn/model/canonical/rewriting.h"

namespace facepipe::detector {
namespace {

constexpr std::int64_t kPlanes = 3;

/// Returns the names of the graph's inputs that aren't weights.
std::set<std::string> pictures_of(const onnx::GraphProto& graph, const OnnxIndex& index) {
  std::set<std::string> pictures;
  for (const onnx::ValueInfoProto& input : graph.input())
    if (index.weights(input.name()) == nullptr) pictures.insert(input.name());
  return pictures;
}

/// Returns the extents of the weights of a convolution that reads a picture. Refuses other nodes.
std::vector<std::int64_t> weights_for_picture(const graph::OnnxNode& node) {
  const std::string what = "reads the picture, and mean and std can only become a part of a ";
  if (node.proto().op_type() != "Conv") node.fail(what + "convolution");
  const std::vector<std::int64_t> extents = node.extents(1);
  if (extents.size() != 4 || extents[1] != kPlanes || node.integer("group", 1) != 1)
    node.fail(what + "convolution of three planes");
  return extents;
}

void fold(Rewriting& to, onnx::NodeProto& proto, const graph::OnnxNode& node,
          const InputNormalisation& by) {
  const std::vector<std::int64_t> extents = weights_for_picture(node);
  const auto outputs = static_cast<std::size_t>(extents[0]);
  std::vector<float> weights = node.floats(1);
  std::vector<float> bias =
      node.has_input(2) ? node.floats(2, extents[0]) : std::vector<float>(outputs, 0.0F);
  const std::size_t taps = weights.size() / outputs / kPlanes;
  for (std::size_t o = 0; o < outputs; ++o) {
    double moved = bias[o];
    for (std::size_t i = 0; i < taps * kPlanes; ++i) {
      float& weight = weights[o * taps * kPlanes + i];
      weight /= by.deviation[i / taps];
      moved -= static_cast<double>(weight) * by.mean[i / taps];
    }
    bias[o] = static_cast<float>(moved);
  }
  const std::string stem = proto.output(0) + ".normalised";
  proto.set_input(1, to.add_weights(stem + ".weight", extents, weights));
  while (proto.input_size() < 3) proto.add_input();
  proto.set_input(2, to.add_weights(stem + ".bias", {extents[0]}, bias));
}

}  // namespace

void fold_normalisation(Rewriting& to, const InputNormalisation& normalisation) {
  if (normalisation == InputNormalisation{}) return;
  const OnnxIndex index(to.graph());
  const std::set<std::string> pictures = pictures_of(to.graph(), index);
  for (onnx::NodeProto& proto : *to.graph().mutable_node()) {
    const bool reads = std::any_of(proto.input().begin(), proto.input().end(),
                                   [&](const auto& input) { return pictures.contains(input); });
    if (!reads || proto.output_size() != 1) continue;
    fold(to, proto, graph::OnnxNode(proto, index.weights(), to.source()), normalisation);
  }
}

}  // namespace facepipe::detector
