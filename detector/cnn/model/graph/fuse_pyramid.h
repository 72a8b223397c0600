// Passes for engines with kernels for the way down a feature pyramid and for the head at its end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::graph {

/// A transposed convolution to which the result of a 1x1 convolution is added that nobody else
/// reads becomes a PyramidStep, where it computes no more than `most_channels`. Activations are
/// none or relu.
void fuse_pyramid(Graph& graph, int most_channels);

/// What cut_head() took away: outputs(window(step(coarse, fine))).
struct HeadTail {
  /// Consecutive channels that `outputs` computes.
  struct Part {
    std::string name;  ///< of the graph's output
    int first_channel = 0;
    int channels = 0;
    Activation pending = Activation::none;  ///< that is still to be applied
  };

  PyramidStep step;
  Convolution window;   ///< 3x3 with padding 1, relu
  Convolution outputs;  ///< 1x1
  ValueId coarse = 0;
  ValueId fine = 0;
  std::vector<Part> parts;  ///< in the order of the graph's outputs
};

/// Takes a head away whose outputs are all parts of one 1x1 convolution behind one of 3x3 behind a
/// PyramidStep, if nobody else reads what is between them: the graph's outputs are then the step's
/// two inputs. Returns nothing, and leaves the graph as it is, where there is no such head.
[[nodiscard]] std::optional<HeadTail> cut_head(Graph& graph);

}  // namespace facepipe::detector::graph
