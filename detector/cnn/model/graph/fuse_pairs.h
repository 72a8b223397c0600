// Declares the pass that makes chains of pairs. A pair is a 1x1 convolution followed by a depthwise
// 3x3 convolution; a chain adds the upsampling before the pair and the pooling after it. The pass
// is separate from passes.h, because only an engine with a kernel for chains can compute them.
#pragma once

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::graph {

/// Holds the limits of the engine's kernels.
struct PairLimits {
  int channels = 128;  ///< largest number of channels of a pair's maps
  int chains = 4;      ///< largest number of chains of a node
};

/// Replaces two convolutions by a PairChain, anywhere in the graph. The first is 1x1, without
/// activation and with one input. The second is a depthwise 3x3 (stride 1, padding 1; relu or no
/// activation), and is the only reader of the first one's result. Then the pass makes three more
/// changes:
/// * An upsampling by 2 with an addition becomes the input of a chain, if only this chain reads it.
/// * A maximum over 2x2 (stride 2, no padding) of a chain's result becomes an output of the chain,
///   if the chain has no upsampling.
/// * Chains with the same channels, inputs and outputs become one node, if they can run at the same
///   time.
/// Shapes must be inferred before. Shapes of new values must be inferred afterwards. Names and
/// sizes of maps don't matter.
void fuse_pairs(Graph& graph, const PairLimits& limits);

/// Returns whether one kernel can compute both chains. Then they differ only in weights and in
/// sizes of maps.
[[nodiscard]] bool same_kind(const PairChain& a, const PairChain& b);

}  // namespace facepipe::detector::graph
