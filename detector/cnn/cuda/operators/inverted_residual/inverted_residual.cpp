#include "detector/cnn/cuda/operators/inverted_residual/inverted_residual.h"

#include <spdlog/spdlog.h>

#include <optional>
#include <string>
#include <variant>

#include "core/cuda/launch.h"
#include "detector/cnn/cuda/operators/inverted_residual/tiles.h"
#include "detector/cnn/cuda/operators/inverted_residual/trial.h"
#include "detector/cnn/cuda/operators/inverted_residual/weights.h"
#include "detector/cnn/cuda/operators/operator.h"

namespace facepipe::detector::engine {
namespace {

class InvertedResidualOperator : public Operator {
 public:
  InvertedResidualOperator(const NodeContext& context, const graph::InvertedResidual& op,
                           const InvertedResidualShape& shape, const InvertedResidualTile& tile,
                           WeightPacker& packer)
      : shape_(shape),
        tile_(tile),
        inputs_(context.inputs),
        output_(context.outputs[0]),
        programmatic_(context.chip.compute_capability >= cuda::kOldestWithClusters),
        arguments_(arguments_of(op, shape, inputs_[0].shape, inputs_[0].pitch, output_.pitch)) {
    if (inputs_.size() > 1) arguments_.residual.pitch = inputs_[1].pitch;
    const InvertedResidualWeights weights = pack_weights(op, shape_);
    expand_ = packer.append(std::span<const __half>(weights.expand));
    depthwise_ = packer.append(std::span<const __half>(weights.depthwise));
    project_ = packer.append(std::span<const __half>(weights.project));
    bias_ = packer.append(std::span<const float>(weights.bias));
    if (prepare_inverted_residual(shape_, tile_) == 0)
      graph::refuse(context.graph, context.node, "no tile of its kernel fits the device");
  }

  void enqueue(const Memory& memory, cuda::StreamView stream) const override {
    InvertedResidualArguments arguments = arguments_;
    arguments.input = value_pointer<__half>(memory, inputs_[0]);
    if (inputs_.size() > 1) arguments.residual.values = value_pointer<__half>(memory, inputs_[1]);
    arguments.output = value_pointer<__half>(memory, output_);
    arguments.weights.expand = weight_pointer<uint4>(memory, expand_);
    arguments.weights.depthwise = weight_pointer<uint4>(memory, depthwise_);
    arguments.weights.project = weight_pointer<uint4>(memory, project_);
    arguments.weights.bias = weight_pointer<float>(memory, bias_);
    launch_inverted_residual(shape_, tile_, arguments, programmatic_, stream);
  }

 private:
  InvertedResidualShape shape_;
  InvertedResidualTile tile_;
  std::vector<Placement> inputs_;
  Placement output_;
  bool programmatic_;
  InvertedResidualArguments arguments_;
  std::size_t expand_ = 0;
  std::size_t depthwise_ = 0;
  std::size_t project_ = 0;
  std::size_t bias_ = 0;
};

// TileChooser stores tiles under names that begin with this version. If you change the kernel so
// that its times change, change the version, too.
constexpr const char* kVersion = "inverted-residual-1";

std::string name_of(const graph::InvertedResidual& op, const graph::MapShape& input,
                    bool residual) {
  std::string name = kVersion;
  for (const int value :
       {op.expand.inputs, op.expand.outputs, op.project.outputs, op.depthwise.window.stride_y,
        input.height, input.width, residual ? 1 : 0})
    name += "," + std::to_string(value);
  return name;
}

InvertedResidualTile chosen(const NodeContext& context, const graph::InvertedResidual& op,
                            const std::vector<InvertedResidualTile>& tiles) {
  const graph::MapShape input = context.inputs[0].shape;
  const bool residual = context.inputs.size() > 1;
  std::vector<std::string> ways;
  for (const InvertedResidualTile& tile : tiles) ways.push_back(text_of(tile));
  // The first trial makes both.
  std::optional<cuda::Stream> stream;
  std::optional<InvertedResidualTrial> trial;
  const std::size_t way = context.tiles.choose(
      name_of(op, input, residual), ways, [&](std::size_t candidate, int launches) {
        if (!stream) stream.emplace();
        if (!trial) trial.emplace(op, input, residual, *stream);
        return trial->time(tiles[candidate], launches, *stream);
      });
  spdlog::debug("detector: {} ({}x{}, {} to {} to {}): tile {}", context.node.name, input.width,
                input.height, op.expand.inputs, op.expand.outputs, op.project.outputs, ways[way]);
  return tiles[way];
}

}  // namespace

std::unique_ptr<Operator> make_inverted_residual(const NodeContext& context, WeightPacker& packer) {
  const auto* const op = std::get_if<graph::InvertedResidual>(&context.node.op);
  if (op == nullptr) return nullptr;
  expect_plain(context, false);
  const InvertedResidualShape shape = shape_of(*op, context.outputs[0].shape);
  const std::vector<InvertedResidualTile> tiles = candidate_tiles(shape, context.chip);
  if (tiles.empty())
    graph::refuse(context.graph, context.node, "the CUDA engine has no kernel for its sizes");
  return std::make_unique<InvertedResidualOperator>(context, *op, shape,
                                                    chosen(context, *op, tiles), packer);
}

}  // namespace facepipe::detector::engine
