// Fuses the nodes of a graph that the engine can compute with one kernel.
#pragma once

#include "detector/cnn/cuda/chip.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

/// Fuses nodes that one kernel of `chip` can compute together; all other nodes keep their own
/// kernels. graph::optimise() must have been called, and shapes must have been inferred. Infers the
/// shapes again. Logs at level debug what it has fused. Returns false, and leaves the graph
/// unchanged, if the chip has no such kernels.
bool fuse(graph::Graph& graph, const Chip& chip);

}  // namespace facepipe::detector::engine
