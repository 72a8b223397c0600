// Fuses the nodes of a graph that the engine can compute with one kernel.
#pragma once

#include "detector/cnn/cuda/chip.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

/// Fuses nodes for which there is a common kernel on `chip`; the others keep kernels of their own.
/// To be called after graph::optimise(). Shapes must have been inferred before, and are inferred
/// again. Logs what it has fused at the level debug. False, and the graph is unchanged, if there
/// are no such kernels for the chip.
bool fuse(graph::Graph& graph, const Chip& chip);

}  // namespace facepipe::detector::engine
