#include "detector/cuda/fusion.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "detector/cuda/operators/inverted_residual_tiles.h"
#include "detector/graph/fuse_inverted_residual.h"

namespace facepipe::engine {

void fuse(graph::Graph& graph, const Chip& chip) {
  const std::size_t before = graph.nodes.size();
  graph::fuse_inverted_residuals(
      graph, [&](const graph::InvertedResidual& op) { return has_inverted_residual(op, chip); });
  const auto blocks =
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const graph::Node& node) {
        return std::holds_alternative<graph::InvertedResidual>(node.op);
      });
  spdlog::debug("detector: {} on {}: {} nodes became {}, {} inverted residuals among them",
                graph.source, chip.name, before, graph.nodes.size(), blocks);
}

}  // namespace facepipe::engine
