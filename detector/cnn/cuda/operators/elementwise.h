// These kernels have no weights: max pooling, upsampling, additions and activations. A thread
// computes one chunk of eight halves.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

/// Input and output are maps without gaps between pixels. A pixel has `chunks` chunks of 8
/// channels.
struct PoolingArguments {
  const __half* input;
  __half* output;
  int chunks;
  int input_height;
  int input_width;
  int output_height;
  int output_width;
  graph::Window window;
};
void launch_max_pool(const PoolingArguments& arguments, cudaStream_t stream);

struct UpsampleArguments {
  const __half* input;
  const __half* residual;  ///< as large as the output, or null
  __half* output;
  int chunks;
  int factor;
  int output_height;
  int output_width;
};
void launch_upsample(const UpsampleArguments& arguments, cudaStream_t stream);

/// Computes output = activation(input) + residual for `chunks` chunks of the whole map.
struct ElementwiseArguments {
  const __half* input;
  const __half* residual;  ///< as large as the output, or null
  __half* output;
  std::size_t chunks;
  graph::Activation activation;
};
void launch_elementwise(const ElementwiseArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::detector::engine
