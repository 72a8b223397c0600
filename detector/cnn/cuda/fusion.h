// Fuses the nodes of a graph that the engine can compute with one kernel.
#pragma once

#include "detector/cnn/cuda/chip.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

/// Fuses nodes for which `chip` has a common kernel; the others keep kernels of their own. Call it
/// after graph::optimise(). Shapes must have been inferred before, and are inferred again. Logs at
/// the level debug what it has fused. If there are no such kernels for the chip, it returns false
/// and leaves the graph unchanged.
bool fuse(graph::Graph& graph, const Chip& chip);

}  // namespace facepipe::detector::engine
