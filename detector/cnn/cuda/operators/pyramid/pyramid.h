// A step down a feature pyramid: transposed 2x2 at stride 2 of the coarse map, 1x1 of the fine one,
// and their sum, in one kernel.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <vector>

#include "core/cuda/launch.h"
#include "detector/cnn/cuda/operators/operator.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::engine {

/// Most tiles of 8 channels that a step computes.
inline constexpr int kMostPyramidTiles = 8;

struct PyramidArguments {
  const __half* coarse;
  const __half* fine;
  int coarse_pitch;  ///< halves a pixel, all of them channels
  int fine_pitch;
  int height;  ///< of the fine map, even
  int width;   ///< likewise

  // A lane's two words for 16 channels and a tile of 8 results, see pack_channels().
  const uint2* up;       ///< sub-pixels x steps x tiles x lanes
  const uint2* lateral;  ///< steps x tiles x lanes
  const float* up_bias;  ///< padded to whole tiles
  const float* lateral_bias;
  float up_least;  ///< what activations leave at least: 0, or no number is less
  float lateral_least;
};

/// Steps of 16 channels.
__host__ __device__ constexpr int channel_steps(int pitch) { return (pitch + 15) / 16; }

/// Places of a step's weights among others.
struct PyramidWeights {
  PyramidWeights(const graph::PyramidStep& op, int coarse_pitch, int fine_pitch,
                 WeightPacker& packer);
  /// All but the maps.
  void fill(PyramidArguments& arguments, const Memory& memory) const;

  std::size_t up;
  std::size_t lateral;
  std::size_t up_bias;
  std::size_t lateral_bias;
  bool up_relu;
  bool lateral_relu;
};

/// `tiles`: 1..kMostPyramidTiles. Throws std::invalid_argument for others.
void launch_pyramid(int tiles, const PyramidArguments& arguments, __half* output, int output_pitch,
                    cuda::Overlap overlap, cuda::StreamView stream);

}  // namespace facepipe::engine
