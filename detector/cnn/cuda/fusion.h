// Which parts of a graph the engine computes with one kernel.
#pragma once

#include "detector/cnn/cuda/chip.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::engine {

/// Joins nodes where `chip` has a kernel for all of them at once; the rest stays with the kernels
/// of single nodes. After graph::optimise(), shapes inferred before and after. What was found goes
/// to the debug log, once for each graph. False for a chip that
/// has none of these kernels.
bool fuse(graph::Graph& graph, const Chip& chip);

}  // namespace facepipe::engine
