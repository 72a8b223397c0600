// Operators without weights, a thread for eight halves: maxima, repetition, sums, activations.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::engine {

/// Maps whose pixels follow each other without gaps: `chunks` times eight channels each.
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

/// output = activation(input) + residual; `chunks` of eight in all.
struct ElementwiseArguments {
  const __half* input;
  const __half* residual;  ///< or null
  __half* output;
  std::size_t chunks;
  graph::Activation activation;
};
void launch_elementwise(const ElementwiseArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::engine
