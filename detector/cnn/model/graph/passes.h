// Declares the passes. Each pass rewrites a graph to one that computes the same with less work.
// Results change only by float rounding. Products of 1x1 convolutions are computed earlier, on the
// file (fold_pointwise.h).
//
// A pass that finds nothing leaves the graph unchanged. All passes need a graph whose shapes are
// inferred. Shapes of values that a pass adds must be inferred afterwards.
#pragma once

#include "core/geometry.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::graph {

/// Removes a transposition to height x width x channels and the reshape behind it, which turns a
/// map into cells of channels, if only outputs of the graph follow. Such outputs get
/// OutputLayout::cells. An engine that keeps channels innermost has this layout in memory anyway.
void absorb_output_layout(Graph& graph);

/// Makes batch normalization a part of the convolution before it. If there is no such convolution,
/// batch normalization becomes a depthwise 1x1 convolution.
void fold_batch_norm(Graph& graph);

/// Merges convolutions of the network's heads. These are 1x1 convolutions of one value that lead
/// only to outputs, either directly or each through a depthwise convolution of the same window.
/// They become one convolution (and one depthwise convolution), followed by a Split.
void merge_heads(Graph& graph);

/// Replaces the two nodes of x * sigmoid(x) by one activation.
void join_silu(Graph& graph);

/// Replaces the nodes Reshape, Transpose and Reshape of a shuffle of channels by one node.
void join_shuffles(Graph& graph);

/// If a Concat reads all outputs of a Split in their order, makes it read the Split's input
/// instead.
void join_parts(Graph& graph);

/// Makes relu, sigmoid and silu the activation of the convolution before them, if no other node
/// reads the convolution's result.
void fuse_activations(Graph& graph);

/// Makes an addition the second input of a convolution or an upsampling, if no other node reads the
/// result of this convolution or upsampling.
void fuse_adds(Graph& graph);

/// Runs all passes in their order. Shapes are inferred for an input of this size before and after.
void optimise(Graph& graph, Size size);

}  // namespace facepipe::detector::graph
