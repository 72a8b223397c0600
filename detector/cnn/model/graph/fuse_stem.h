// This pass is for engines with a kernel that computes a network's first layers from the picture.
#pragma once

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::graph {

/// Most channels between the three layers of a Stem. Its kernel has registers for no more.
inline constexpr int kMostStemBlockChannels = 32;

/// Makes a Stem of the 3x3 convolution at stride 2 that alone reads the picture. A depthwise 3x3
/// convolution and a 1x1 convolution behind it join the Stem, if nobody else reads the values
/// between them, and if these have at most kMostStemBlockChannels channels. Activations are none or
/// relu; before another layer they are relu. Shapes must be inferred. Shapes of the remaining
/// values are kept.
void fuse_stem(Graph& graph);

/// Tells whether `op` is a 3x3 convolution at stride 2 with padding 1 that reads a picture of three
/// channels.
[[nodiscard]] bool is_stem(const Convolution& op);

}  // namespace facepipe::detector::graph
