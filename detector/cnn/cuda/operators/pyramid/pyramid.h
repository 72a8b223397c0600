// Computes a step of a feature pyramid in one kernel. It adds up two results: a transposed 2x2
// convolution of the coarse map at stride 2, and a 1x1 convolution of the fine map.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <vector>

#include "core/cuda/launch.h"
#include "detector/cnn/cuda/operators/operator.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

/// Largest number of output channels of a step, in tiles of 8.
inline constexpr int kMostPyramidTiles = 8;

struct PyramidArguments {
  const __half* coarse;
  const __half* fine;
  int coarse_pitch;  ///< number of halves from one pixel to the next; all of these are channels
  int fine_pitch;
  int height;  ///< height of the fine map, even
  int width;   ///< width of the fine map, even

  // The weights are fragments with two words for each lane. A fragment is for 16 input channels and
  // a tile of 8 outputs; see pack_channels().
  const uint2* up;       ///< sub-pixels x steps x tiles x lanes
  const uint2* lateral;  ///< steps x tiles x lanes
  const float* up_bias;  ///< padded to whole tiles
  const float* lateral_bias;
  float up_least;  ///< lower bound that the activation sets: 0 for relu, otherwise minus infinity
  float lateral_least;
};

/// Returns the number of steps of 16 channels in a pixel.
__host__ __device__ constexpr int channel_steps(int pitch) { return (pitch + 15) / 16; }

/// Holds the positions of a step's weights among the weights of all operators, and the step's
/// activations.
struct PyramidWeights {
  PyramidWeights(const graph::PyramidStep& op, int coarse_pitch, int fine_pitch,
                 WeightPacker& packer);
  /// Sets the weights and the activations in `arguments`, and leaves the members about the maps
  /// unchanged.
  void fill(PyramidArguments& arguments, const Memory& memory) const;

  std::size_t up;
  std::size_t lateral;
  std::size_t up_bias;
  std::size_t lateral_bias;
  bool up_relu;
  bool lateral_relu;
};

/// `tiles` is the number of output channels in tiles of 8; it must be 1..kMostPyramidTiles. Throws
/// Error(internal) for other numbers.
void launch_pyramid(int tiles, const PyramidArguments& arguments, __half* output, int output_pitch,
                    cuda::Overlap overlap, cuda::StreamView stream);

}  // namespace facepipe::detector::engine
