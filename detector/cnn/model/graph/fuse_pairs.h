// The pass that makes chains of pairs: 1x1 convolutions and the depthwise 3x3 ones behind them,
// with the upsampling before and the pooling after them. Kept apart from the passes that every
// engine likes: what it makes only an engine with a kernel for it can compute.
#pragma once

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::graph {

/// What the engine's kernels take.
struct PairLimits {
  int channels = 128;  ///< of a pair's maps
  int chains = 4;      ///< of a node
};

/// A 1x1 convolution without activation of one input and the depthwise 3x3 one (stride 1, padding
/// 1; relu or no activation) that alone reads it become a PairChain, wherever they stand. Then
/// * an upsampling by 2 with an addition that one chain alone reads becomes that chain's input,
/// * a maximum over 2x2 (stride 2, no padding) of the result of a chain without an upsampling
///   becomes an output of the chain,
/// * chains of the same channels, inputs and outputs that can run at the same time become one node.
/// Needs inferred shapes; leaves shapes of new values to be inferred. Nothing is found by names or
/// sizes of maps.
void fuse_pairs(Graph& graph, const PairLimits& limits);

/// One kernel can compute both: they differ in their weights and in the sizes of their maps.
[[nodiscard]] bool same_kind(const PairChain& a, const PairChain& b);

}  // namespace facepipe::detector::graph
