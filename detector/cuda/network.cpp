#include "detector/cuda/network.h"

#include "detector/cuda/placement.h"

namespace facepipe::engine {
Network::Network(const graph::Graph& graph, Reuse reuse) {
  TileChooser first;
  plan_values(graph, reuse);
  plan_steps(graph, first);
}

Network::Network(const graph::Graph& graph, Reuse reuse, TileChooser& tiles) {
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
  const Chip limits = current_chip();
  WeightPacker packer;
  for (const graph::Node& node : graph.nodes) {
    if (is_view(graph, uses, node)) continue;
    NodeContext context{graph, node, {}, {}, limits, tiles};
    for (const graph::ValueId input : node.inputs) context.inputs.push_back(place(input));
    for (const graph::ValueId output : node.outputs) context.outputs.push_back(place(output));
    steps_.push_back({node.name, graph::name_of(node.op), make_operator(context, packer)});
  }
  weights_ = cuda::DeviceBuffer<std::byte>(packer.bytes().size());
  const cuda::Stream stream;
  cuda::copy(weights_.span(), packer.bytes(), stream);
  stream.synchronize();
}

void Network::enqueue(std::byte* activations, cuda::StreamView stream) const {
  for (const Step& step : steps_) enqueue_step(step, activations, stream);
}

void Network::enqueue_step(const Step& step, std::byte* activations,
                           cuda::StreamView stream) const {
  step.run->enqueue({activations, weights_.data()}, stream);
}

}  // namespace facepipe::engine
