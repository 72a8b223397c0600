// This pass makes chains of pairs. A pair is a 1x1 convolution and the depthwise 3x3 one behind it;
// a chain adds the upsampling before and the pooling after them. The pass is apart from those that
// every engine likes, because only an engine with a kernel for chains can compute them.
#pragma once

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::graph {

/// What the engine's kernels accept.
struct PairLimits {
  int channels = 128;  ///< most channels of a pair's maps
  int chains = 4;      ///< most chains of a node
};

/// Makes a PairChain of two convolutions, wherever they stand. The first is 1x1, without activation
/// and with one input. The second is a depthwise 3x3 one (stride 1, padding 1; relu or no
/// activation), and only it reads the first one's result. Then the pass makes three more changes:
/// * An upsampling by 2 with an addition becomes the input of a chain, if only this chain reads it.
/// * A maximum over 2x2 (stride 2, no padding) of a chain's result becomes an output of the chain,
///   if the chain has no upsampling.
/// * Chains with the same channels, inputs and outputs become one node, if they can run at the same
///   time.
/// Shapes must be inferred before; shapes of new values must be inferred afterwards. The pass
/// doesn't look at names or sizes of maps.
void fuse_pairs(Graph& graph, const PairLimits& limits);

/// Tells whether one kernel can compute both. Then they differ only in weights and in sizes of
/// maps.
[[nodiscard]] bool same_kind(const PairChain& a, const PairChain& b);

}  // namespace facepipe::detector::graph
