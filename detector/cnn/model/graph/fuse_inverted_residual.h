// A pass that finds the blocks of MobileNetV2.
#pragma once

#include <functional>

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::graph {

/// A 1x1 convolution with relu, a depthwise 3x3 one with padding 1, stride 1 or 2 and relu, and a
/// 1x1 one, with or without a second input, become one node, if nobody else reads what lies between
/// and `fits` accepts them. Their sizes don't matter, nor their names. One whose result is an
/// output of the graph, or leads there by way of a Split or an activation alone, stays what it is,
/// as engines may give such a result another form. After fuse_adds(); extents stay as they are.
void fuse_inverted_residuals(Graph& graph,
                             const std::function<bool(const InvertedResidual&)>& fits);

}  // namespace facepipe::detector::graph
