// Packs the weights of an inverted residual in the order in which the lanes of a warp read them. So
// the lanes of a load read consecutive bytes. fragments.cuh defines g and t of a lane.
#pragma once

#include <cuda_fp16.h>

#include <vector>

#include "detector/cnn/cuda/operators/inverted_residual/inverted_residual.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

struct InvertedResidualWeights {
  /// For each expanded group, each step of 16 input channels and each lane: first fragment B of the
  /// group's channels 0 to 7, then fragment B of its channels 8 to 15. The last step may have only
  /// 8 input channels.
  std::vector<__half> expand;
  /// For each expanded group and each t: first the 9 taps and the bias of the channels 2t, 2t + 1,
  /// 2t + 8 and 2t + 9. Then the expansion's bias: twice for the channels 2t and 2t + 1, and then
  /// twice for 2t + 8 and 2t + 9.
  std::vector<__half> depthwise;
  /// For each expanded group and each group of output channels: first, for each lane, fragment B of
  /// the first two column tiles; then, for each lane, fragment B of the remaining tiles.
  std::vector<__half> project;
  /// bias of the projection, in the order of channels, padded to whole groups
  std::vector<float> bias;
};

/// Returns the kernel's shape for `op`. The number of input channels is rounded up to that of a
/// compiled kernel, and the number of output channels to whole column groups.
[[nodiscard]] InvertedResidualShape shape_of(const graph::InvertedResidual& op,
                                             const graph::MapShape& output);

[[nodiscard]] InvertedResidualWeights pack_weights(const graph::InvertedResidual& op,
                                                   const InvertedResidualShape& shape);

/// Returns the arguments that follow from `shape` and the extents. Pointers, the residual's pitch
/// and the members that depend on the tile are 0. A pitch is the number of halves from one pixel to
/// the next.
[[nodiscard]] InvertedResidualArguments arguments_of(const graph::InvertedResidual& op,
                                                     const InvertedResidualShape& shape,
                                                     const graph::MapShape& input, int input_pitch,
                                                     int output_pitch);

}  // namespace facepipe::detector::engine
