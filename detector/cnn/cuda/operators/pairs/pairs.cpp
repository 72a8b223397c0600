#include "detector/cnn/cuda/operators/pairs/pairs.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "detector/cnn/cuda/operators/operator.h"
#include "detector/cnn/cuda/operators/pairs/packing.h"

namespace facepipe::detector::engine {
namespace {

/// Describes a chain of a node, and the placements of its values.
struct PlacedChain {
  Placement input;
  std::optional<Placement> coarse;
  std::optional<Placement> output;
  std::optional<Placement> pooled;
  PackedPair weights;

  /// Returns the size of the map that the pair reads. The map that it writes has the same size.
  [[nodiscard]] Size size() const { return {input.shape.width, input.shape.height}; }
};

[[noreturn]] void refuse(const NodeContext& context, const char* reason) {
  graph::refuse(context.graph, context.node, reason);
}

/// Returns the chains of a node with the placements of their values, in the node's order.
std::vector<PlacedChain> placed_chains(const NodeContext& context, const graph::PairChains& op) {
  std::vector<PlacedChain> placed;
  auto input = context.inputs.begin();
  auto output = context.outputs.begin();
  for (const graph::PairChain& chain : op.chains) {
    PlacedChain result;
    if (chain.upsampled) result.coarse = *input++;
    result.input = *input++;
    if (chain.keeps) result.output = *output++;
    if (chain.pools) result.pooled = *output++;
    placed.push_back(result);
  }
  return placed;
}

void check(const NodeContext& context, const graph::PairChains& op) {
  if (op.chains.empty() || op.chains.size() > kPairMaps)
    refuse(context, "the CUDA engine has no kernel for this number of chains");
  const graph::PairChain& first = op.chains[0];
  for (const graph::PairChain& chain : op.chains) {
    if (!graph::same_kind(chain, first) || (chain.pools && chain.upsampled))
      refuse(context, "the CUDA engine has no kernel for these chains");
    const graph::Convolution& pointwise = chain.pair.pointwise;
    if (std::max(pointwise.inputs, pointwise.outputs) > kPairChannels)
      refuse(context, "the CUDA engine has no kernel for its channels");
  }
  expect_plain(context, !first.pools);
  for (const Placement& output : context.outputs)
    if (output.element != context.outputs[0].element)
      refuse(context, "the CUDA engine has no kernel that mixes f16 and f32");
}

PairKind kind_of(const NodeContext& context, const graph::PairChains& op) {
  const graph::PairChain& chain = op.chains[0];
  PairKind kind;
  kind.steps = *pair_steps(chain.pair.pointwise.inputs);
  if (chain.pools)
    kind.result = chain.keeps ? PairResult::halves_and_maxima : PairResult::maxima;
  else if (context.outputs[0].element == Element::f32)
    kind.result = PairResult::floats;
  kind.relu = chain.pair.depthwise.activation == graph::Activation::relu;
  kind.upsampled = chain.upsampled;
  return kind;
}

class PairsOperator : public Operator {
 public:
  PairsOperator(const NodeContext& context, const graph::PairChains& op, WeightPacker& packer)
      : chains_(placed_chains(context, op)), kind_(kind_of(context, op)) {
    arguments_.groups = pair_groups(op.chains[0].pair.pointwise.outputs);
    arguments_.map_count = static_cast<int>(chains_.size());
    std::vector<Size> sizes;
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      const bool floats = kind_.result == PairResult::floats;
      chains_[i].weights = pack_pair(op.chains[i].pair, kind_.steps, floats, packer);
      sizes.push_back(chains_[i].size());
    }
    const PairRoom room = prepare_pairs(kind_, arguments_.groups);
    arguments_.teams = room.teams;
    arguments_.multiprocessors = room.multiprocessors;
    arguments_.overlaps = room.overlaps;
    arguments_.rows = pair_rows_for(kind_, arguments_.groups, sizes, room);
  }

  void enqueue(const Memory& memory, cuda::StreamView stream) const override {
    PairsArguments arguments = arguments_;
    for (std::size_t i = 0; i < chains_.size(); ++i) arguments.maps[i] = map_of(chains_[i], memory);
    launch_pairs(kind_, arguments, stream.get());
  }

 private:
  [[nodiscard]] static PairMap map_of(const PlacedChain& chain, const Memory& memory) {
    PairMap map{};
    map.input = value_pointer<__half>(memory, chain.input);
    map.height = chain.size().height;
    map.width = chain.size().width;
    map.input_pitch = chain.input.pitch;
    if (chain.coarse) {
      map.coarse = value_pointer<__half>(memory, *chain.coarse);
      map.coarse_pitch = chain.coarse->pitch;
    }
    if (chain.output) {
      map.output = value_address(memory, *chain.output);
      map.output_pitch = chain.output->pitch;
    }
    if (chain.pooled) {
      map.pooled = value_pointer<__half>(memory, *chain.pooled);
      map.pooled_pitch = chain.pooled->pitch;
    }
    map.weights = {weight_pointer<uint4>(memory, chain.weights.pointwise),
                   weight_pointer<float>(memory, chain.weights.pointwise_bias),
                   memory.weights + chain.weights.depthwise,
                   memory.weights + chain.weights.depthwise_bias};
    return map;
  }

  std::vector<PlacedChain> chains_;
  PairKind kind_;
  PairsArguments arguments_{};
};

}  // namespace

std::unique_ptr<Operator> make_pairs(const NodeContext& context, WeightPacker& packer) {
  const auto* const op = std::get_if<graph::PairChains>(&context.node.op);
  if (op == nullptr) return nullptr;
  check(context, *op);
  return std::make_unique<PairsOperator>(context, *op, packer);
}

}  // namespace facepipe::detector::engine
