#include "detector/cnn/cuda/fusion.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "detector/cnn/cuda/operators/inverted_residual/tiles.h"
#include "detector/cnn/cuda/operators/pairs/pairs.h"
#include "detector/cnn/cuda/operators/pyramid/pyramid.h"
#include "detector/cnn/model/graph/fuse_inverted_residual.h"
#include "detector/cnn/model/graph/fuse_pairs.h"
#include "detector/cnn/model/graph/fuse_pyramid.h"
#include "detector/cnn/model/graph/fuse_stem.h"

namespace facepipe::detector::engine {

bool fuse(graph::Graph& graph, const Chip& chip) {
  if (!has_fused_kernels(chip)) {
    spdlog::info("detector: {} is older than compute capability 8.0, so no layers are fused",
                 chip.name);
    return false;
  }
  const std::size_t before = graph.nodes.size();
  graph::fuse_stem(graph);
  graph::fuse_inverted_residuals(
      graph, [&](const graph::InvertedResidual& op) { return has_inverted_residual(op, chip); });
  graph::fuse_pairs(graph, kPairLimits);
  graph::fuse_pyramid(graph, 8 * kMostPyramidTiles);
  const graph::MapShape input = graph.map(graph.input);
  graph::infer_shapes(graph, {input.width, input.height});
  const auto blocks =
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const graph::Node& node) {
        return std::holds_alternative<graph::InvertedResidual>(node.op);
      });
  spdlog::debug("detector: {} on {}: {} nodes became {}, {} inverted residuals among them",
                graph.source, chip.name, before, graph.nodes.size(), blocks);
  return true;
}

}  // namespace facepipe::detector::engine
