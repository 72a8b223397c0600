// Which form each value of a graph takes on the device, and where it lies.
#pragma once

#include <cstddef>
#include <vector>

#include "detector/cnn/cuda/operators/operator.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::engine {

struct Placements {
  std::vector<Placement> values;  ///< by ValueId
  std::size_t bytes = 0;          ///< of the whole activation memory
};

/// The nodes that an engine needn't compute: parts of a Split, and activations that whoever reads
/// an output applies. Their outputs lie where their input does.
[[nodiscard]] bool is_view(const graph::Graph& graph, const graph::Uses& uses,
                           const graph::Node& node);

/// Results of the network's last convolutions are floats, all else is halves. With `reuse`, values
/// share memory whose lifetimes don't meet.
[[nodiscard]] Placements place_values(const graph::Graph& graph, bool reuse);

}  // namespace facepipe::engine
