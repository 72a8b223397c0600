#include "detector/cuda/fusion.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "detector/cuda/operators/inverted_residual_tiles.h"
#include "detector/cuda/operators/pairs.h"
#include "detector/graph/fuse_inverted_residual.h"
#include "detector/graph/fuse_pairs.h"

namespace facepipe::engine {

void fuse(graph::Graph& graph, const Chip& chip) {
  const std::size_t before = graph.nodes.size();
  graph::fuse_inverted_residuals(
      graph, [&](const graph::InvertedResidual& op) { return has_inverted_residual(op, chip); });
  if (const auto limits = pair_limits_of_current_device()) graph::fuse_pairs(graph, *limits);
  const graph::MapShape input = graph.map(graph.input);
  graph::infer_shapes(graph, {input.width, input.height});
  const auto blocks =
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const graph::Node& node) {
        return std::holds_alternative<graph::InvertedResidual>(node.op);
      });
  spdlog::debug("detector: {} on {}: {} nodes became {}, {} inverted residuals among them",
                graph.source, chip.name, before, graph.nodes.size(), blocks);
}

}  // namespace facepipe::engine
