// Declares the pass that finds the blocks of MobileNetV2.
#pragma once

#include <functional>

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::graph {

/// Replaces three convolutions by one node. The first is 1x1 with relu. The second is a depthwise
/// 3x3 with padding 1, stride 1 or 2 and relu. The third is 1x1, with or without a second input. No
/// other node may read the values between them, and `fits` must accept them. Their sizes and names
/// don't matter. A block stays unchanged if its result is an output of the graph, or is read by a
/// Split or an activation, because engines may give such a result another form. The pass must run
/// after fuse_adds(). Extents stay unchanged.
void fuse_inverted_residuals(Graph& graph,
                             const std::function<bool(const InvertedResidual&)>& fits);

}  // namespace facepipe::detector::graph
