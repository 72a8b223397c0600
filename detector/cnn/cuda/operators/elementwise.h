// Declares the kernels without weights: max pooling, upsampling, sums, products and activations. A
// thread computes one chunk of eight halves.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

/// The input and the output are maps without gaps between pixels. A pixel has `chunks` chunks of 8
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

/// Describes an input of an elementwise kernel, which may be a part of a larger value.
struct ElementwiseInput {
  const __half* values;  ///< null if there is no such input
  int chunks;            ///< number of chunks from one pixel to the next
};

/// Computes activation(input) + other, or activation(input) * other if `multiplies` is true.
struct ElementwiseArguments {
  ElementwiseInput input;
  ElementwiseInput other;
  __half* output;
  int chunks;  ///< number of chunks of a pixel of the output
  std::size_t pixels;
  graph::Activation activation;
  bool leaky;  ///< instead of the activation, values below 0 are multiplied by `slope`
  float slope;
  bool multiplies;
};
void launch_elementwise(const ElementwiseArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::detector::engine
