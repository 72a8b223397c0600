#include "detector/cnn/cuda/network.h"

#include "core/error.h"
#include "detector/cnn/cuda/placement.h"

namespace facepipe::detector::engine {
namespace {

bool only_a_stem_reads_it(const graph::Graph& graph) {
  const graph::Uses uses(graph);
  if (!uses.private_to_one_reader(graph.input)) return false;
  const auto reader = static_cast<std::size_t>(uses.readers(graph.input)[0]);
  return std::holds_alternative<graph::Stem>(graph.nodes[reader].op);
}

}  // namespace

Network::Network(const graph::Graph& graph, Reuse reuse, const PictureSource* picture) {
  TileChooser fixed;
  plan(graph, reuse, picture, fixed);
}

Network::Network(const graph::Graph& graph, Reuse reuse, const PictureSource* picture,
                 TileChooser& tiles) {
  plan(graph, reuse, picture, tiles);
}

void Network::plan(const graph::Graph& graph, Reuse reuse, const PictureSource* picture,
                   TileChooser& tiles) {
  if (picture != nullptr && !picture->scaled() && only_a_stem_reads_it(graph)) picture_ = *picture;
  plan_values(graph, reuse);
  plan_steps(graph, tiles);
}

void Network::plan_values(const graph::Graph& graph, Reuse reuse) {
  Placements placements = place_values(graph, reuse == Reuse::memory);
  places_ = std::move(placements.values);
  activation_bytes_ = placements.bytes;
  input_ = place(graph.input);
  for (const graph::Output& output : graph.outputs)
    outputs_.push_back({output.name, place(output.value)});
}

void Network::plan_steps(const graph::Graph& graph, TileChooser& tiles) {
  const graph::Uses uses(graph);
  const Chip chip = current_chip();
  WeightPacker packer;
  for (const graph::Node& node : graph.nodes) {
    if (is_view(graph, uses, node)) continue;
    NodeContext context{graph, node, {}, {}, chip, tiles, picture_ ? &*picture_ : nullptr};
    for (const graph::ValueId input : node.inputs) context.inputs.push_back(place(input));
    for (const graph::ValueId output : node.outputs) context.outputs.push_back(place(output));
    steps_.push_back({node.name, graph::name_of(node.op), make_operator(context, packer)});
  }
  weights_ = packer.upload();
}

void Network::enqueue(std::byte* activations, cuda::StreamView stream,
                      const FrameDescriptor* frame) const {
  for (const Step& step : steps_) enqueue_step(step, activations, stream, frame);
}

void Network::enqueue_step(const Step& step, std::byte* activations, cuda::StreamView stream,
                           const FrameDescriptor* frame) const {
  if (reads_picture() && frame == nullptr)
    throw Error(ErrorKind::internal, "detector: the frame is null");
  step.run->enqueue({activations, weights_.data(), frame}, stream);
}

}  // namespace facepipe::detector::engine
