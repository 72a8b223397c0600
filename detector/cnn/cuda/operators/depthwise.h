// Computes depthwise convolutions, which filter each channel by its own window. Sums are floats.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include "detector/cnn/cuda/operators/residual.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

struct DepthwiseArguments {
  const __half* input;
  const float* weights;  ///< taps x channels, padded to 8 channels
  const float* bias;     ///< one for each channel, padded to 8 channels
  void* output;          ///< halves, or floats if `f32`
  Residual residual;

  int channels;  ///< number of channels, padded to a multiple of 8
  int input_height;
  int input_width;
  int input_pitch;
  int output_height;
  int output_width;
  int output_pitch;
  graph::Window window;
  graph::Activation activation;
};

void launch_depthwise(bool f32, const DepthwiseArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::detector::engine
