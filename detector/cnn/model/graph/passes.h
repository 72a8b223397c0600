// Passes: each rewrites a graph to one that computes the same with less work, changed by float
// rounding alone. Products of 1x1 convolutions are formed before, on the file (fold_pointwise.h).
//
// A pass that finds nothing leaves the graph as it is. All need a graph whose shapes are inferred,
// and leave shapes of new values to be inferred.
#pragma once

#include "core/geometry.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::graph {

/// A transposition to height x width x channels that is then read as cells of channels, up to the
/// graph's outputs: what such outputs promise becomes OutputLayout::cells, and both nodes go away.
/// Memory of an engine that keeps channels innermost is so already.
void absorb_output_layout(Graph& graph);

/// Batch normalization becomes part of the convolution before it, and where there is none that it
/// can join, a depthwise 1x1 convolution.
void fold_batch_norm(Graph& graph);

/// Convolutions of the network's heads: 1x1 convolutions of one value that lead to nothing but
/// outputs, either at once or each through a depthwise convolution of the same window, become one
/// convolution (and one depthwise one) followed by a Split.
void merge_heads(Graph& graph);

/// Relu and sigmoid become the activation of the convolution before them that nobody else reads.
void fuse_activations(Graph& graph);

/// An addition becomes the second input of a convolution or upsampling that nobody else reads.
void fuse_adds(Graph& graph);

/// All of them in their order, shapes inferred for an input of this size before and after.
void optimise(Graph& graph, Size size);

}  // namespace facepipe::detector::graph
