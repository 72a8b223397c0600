// This pass finds the blocks of MobileNetV2.
#pragma once

#include <functional>

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::graph {

/// Makes one node of three convolutions. The first is 1x1 with relu. The second is a depthwise 3x3
/// with padding 1, stride 1 or 2 and relu. The third is 1x1, with or without a second input. Nobody
/// else may read the values between them, and `fits` must accept them. Their sizes and names don't
/// matter. A block is left alone if its result is an output of the graph, or is read by a Split or
/// an activation. The reason is that engines may give such a result another form. Run the pass
/// after fuse_adds(). Extents stay as they are.
void fuse_inverted_residuals(Graph& graph,
                             const std::function<bool(const InvertedResidual&)>& fits);

}  // namespace facepipe::detector::graph
