// Plans the activation memory: the format and the position of each value of a graph.
#pragma once

#include <cstddef>
#include <vector>

#include "detector/cnn/cuda/operators/operator.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

struct Placements {
  std::vector<Placement> values;  ///< indexed by ValueId
  std::size_t bytes = 0;          ///< size of the activation memory
};

/// Returns whether the node needs no operator because its outputs are views of its input's memory.
/// This holds for a Split, and for an activation that the reader of a network's output applies.
[[nodiscard]] bool is_view(const graph::Graph& graph, const graph::Uses& uses,
                           const graph::Node& node);

/// Returns whether an operator can compute the node if its inputs are parts of other values, which
/// begin at a multiple of 8 channels.
[[nodiscard]] bool reads_parts(const graph::Node& node);

/// Places all values. If convolutions compute the inputs of a Concat, their results are placed
/// within the Concat's result, so that nothing needs to be copied. Results of the network's last
/// convolutions are floats; all other values are halves. With `reuse`, values share memory if their
/// lifetimes don't overlap.
[[nodiscard]] Placements place_values(const graph::Graph& graph, bool reuse);

}  // namespace facepipe::detector::engine
