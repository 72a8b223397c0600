// A pass for engines with a kernel from the picture through a network's first layers.
#pragma once

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::graph {

/// Channels between the layers of a Stem of three that its kernel has registers for.
inline constexpr int kMostStemBlockChannels = 32;

/// The convolution of 3x3 at stride 2 that alone reads the picture becomes a Stem, and with it a
/// depthwise convolution of 3x3 and a 1x1 convolution that alone read what it leads to, where no
/// more than kMostStemBlockChannels are between them. Activations are none or relu, and relu before
/// another layer. Shapes must be inferred; those of what stays are kept.
void fuse_stem(Graph& graph);

/// A convolution of 3x3 at stride 2 with padding 1 of a picture of three channels.
[[nodiscard]] bool is_stem(const Convolution& op);

}  // namespace facepipe::detector::graph
