// Weights of an inverted residual in the order in which lanes of a warp take them, so that each
// load is of consecutive bytes. g and t of a lane as in fragments.cuh.
#pragma once

#include <cuda_fp16.h>

#include <vector>

#include "detector/cnn/cuda/operators/inverted_residual/inverted_residual.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::engine {

struct InvertedResidualWeights {
  /// A chunk of 16 expanded channels after the other. In each, for 16 input channels at a time and
  /// each lane, B of channels 0 to 7, then of 8 to 15; for 8 input channels that are left likewise.
  std::vector<__half> expand;
  /// A chunk after the other, in it for each t the channels 2t and 2t + 1 of both eights: 9 taps,
  /// bias, and the expansion's bias of the first eight twice, then of the second twice.
  std::vector<__half> depthwise;
  /// A chunk after the other, in it for each group of output channels and each lane B of two column
  /// tiles, then of those that are left.
  std::vector<__half> project;
  std::vector<float> bias;  ///< of the projection, in the order of channels, whole groups
};

/// Shape of what is computed: input channels rounded up to what is compiled, output channels to
/// what a warp takes. The input's extents don't matter.
[[nodiscard]] InvertedResidualShape shape_of(const graph::InvertedResidual& op,
                                             const graph::MapShape& output);

[[nodiscard]] InvertedResidualWeights pack_weights(const graph::InvertedResidual& op,
                                                   const InvertedResidualShape& shape);

/// What `shape` and the extents say; pointers, the residual's pitch and what the tile says are 0.
/// Pitches are in halves a pixel.
[[nodiscard]] InvertedResidualArguments arguments_of(const graph::InvertedResidual& op,
                                                     const InvertedResidualShape& shape,
                                                     const graph::MapShape& input, int input_pitch,
                                                     int output_pitch);

}  // namespace facepipe::engine
