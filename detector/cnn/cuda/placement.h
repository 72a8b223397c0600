// Plans the activation memory: the format and the position of each value of a graph.
#pragma once

#include <cstddef>
#include <vector>

#include "detector/cnn/cuda/operators/operator.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

struct Placements {
  std::vector<Placement> values;  ///< by ValueId
  std::size_t bytes = 0;          ///< size of the activation memory
};

/// Whether the node needs no operator because its outputs are views of its input's memory: a Split,
/// or an activation that the reader of a network's output applies.
[[nodiscard]] bool is_view(const graph::Graph& graph, const graph::Uses& uses,
                           const graph::Node& node);

/// Results of the network's last convolutions are floats, all other values are halves. `reuse`:
/// values whose lifetimes don't overlap share memory.
[[nodiscard]] Placements place_values(const graph::Graph& graph, bool reuse);

}  // namespace facepipe::detector::engine
