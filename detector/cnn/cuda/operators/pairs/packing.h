// Packs the weights of a pair in the order in which the lanes of the kernel read them.
#pragma once

#include <cstddef>

#include "detector/cnn/cuda/operators/operator.h"
#include "detector/cnn/cuda/operators/pairs/pairs.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

/// Holds the positions of the parts of PairWeights, in bytes from the start of all weights.
struct PackedPair {
  std::size_t pointwise = 0;
  std::size_t pointwise_bias = 0;
  std::size_t depthwise = 0;
  std::size_t depthwise_bias = 0;
};

/// Packs the weights for the kernel with `steps` * 16 inputs. `floats` must be true if the result
/// is floats.
[[nodiscard]] PackedPair pack_pair(const graph::Pair& pair, int steps, bool floats,
                                   WeightPacker& packer);

/// Returns the number of groups of 16 channels that `channels` need.
[[nodiscard]] constexpr int pair_groups(int channels) {
  return (channels + kPairGroup - 1) / kPairGroup;
}

}  // namespace facepipe::detector::engine
