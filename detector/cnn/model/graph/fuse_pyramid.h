// Declares passes for engines that have kernels for the steps down a feature pyramid, and for the
// head at its end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::graph {

/// Makes a PyramidStep of a transposed convolution and of the 1x1 convolution whose result is added
/// to it. No other node may read the result of the 1x1 convolution. The transposed convolution may
/// have at most `most_channels` outputs. Both activations must be none or relu.
void fuse_pyramid(Graph& graph, int most_channels);

/// Describes the head that cut_head() has removed: outputs(window(step(coarse, fine))).
struct HeadTail {
  /// Describes consecutive channels of the result of `outputs`, which are one output of the graph.
  struct Part {
    std::string name;  ///< name of the graph's output
    int first_channel = 0;
    int channels = 0;
    Activation pending = Activation::none;  ///< activation that must still be applied
  };

  PyramidStep step;
  Convolution window;   ///< 3x3 with padding 1, relu
  Convolution outputs;  ///< 1x1
  ValueId coarse = 0;
  ValueId fine = 0;
  std::vector<Part> parts;  ///< in the order of the graph's outputs
};

/// Removes a head whose outputs are all parts of one 1x1 convolution's result. Before this
/// convolution there must be a 3x3 convolution and a PyramidStep, and no other node may read the
/// values between them. The step's two inputs become the graph's outputs. Returns nullopt and
/// leaves the graph unchanged if there is no such head.
[[nodiscard]] std::optional<HeadTail> cut_head(Graph& graph);

}  // namespace facepipe::detector::graph
