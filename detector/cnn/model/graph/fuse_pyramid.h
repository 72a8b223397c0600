// These passes are for engines with kernels for the way down a feature pyramid, and for the head at
// its end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::graph {

/// Makes a PyramidStep of a transposed convolution and of the 1x1 convolution whose result is added
/// to it. Nobody else may read that result. The transposed convolution computes at most
/// `most_channels`. Both activations are none or relu.
void fuse_pyramid(Graph& graph, int most_channels);

/// The head that cut_head() took away: outputs(window(step(coarse, fine))).
struct HeadTail {
  /// Consecutive channels that `outputs` computes for one output of the graph.
  struct Part {
    std::string name;  ///< name of the graph's output
    int first_channel = 0;
    int channels = 0;
    Activation pending = Activation::none;  ///< activation that is still to be applied
  };

  PyramidStep step;
  Convolution window;   ///< 3x3 with padding 1, relu
  Convolution outputs;  ///< 1x1
  ValueId coarse = 0;
  ValueId fine = 0;
  std::vector<Part> parts;  ///< ordered as the graph's outputs
};

/// Takes away a head whose outputs are all parts of one 1x1 convolution. Before it come a 3x3
/// convolution and a PyramidStep, and nobody else may read the values between them. The graph's
/// outputs then are the step's two inputs. Returns nullopt and leaves the graph as it is if there
/// is no such head.
[[nodiscard]] std::optional<HeadTail> cut_head(Graph& graph);

}  // namespace facepipe::detector::graph
