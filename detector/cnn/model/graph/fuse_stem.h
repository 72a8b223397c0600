// Declares the pass for engines with a kernel that computes a network's first layers from the
// picture.
#pragma once

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::graph {

/// Largest number of channels between the three layers of a Stem. The registers of its kernel hold
/// no more channels.
inline constexpr int kMostStemBlockChannels = 32;

/// Makes a Stem of the 3x3 convolution at stride 2 that is the only reader of the picture. A
/// depthwise 3x3 convolution and a 1x1 convolution after it join the Stem, if no other node reads
/// the values between them, and if these values have at most kMostStemBlockChannels channels.
/// Activations must be none or relu; before another layer, they must be relu. Shapes must have been
/// inferred. Shapes of the remaining values are kept.
void fuse_stem(Graph& graph);

/// Returns whether `op` is a 3x3 convolution at stride 2 with padding 1 that reads a picture of
/// three channels.
[[nodiscard]] bool is_stem(const Convolution& op);

}  // namespace facepipe::detector::graph
