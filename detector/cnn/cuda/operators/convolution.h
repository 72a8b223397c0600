// Convolutions as a product of matrices on the tensor cores ("implicit GEMM"): rows are output
// pixels, columns output channels, and the sum runs over the window's taps and input channels.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::engine {

/// Where a row's operands come from, and where its results go.
enum class ConvolutionKind {
  pointwise,   ///< 1x1: the pixels are the matrix
  window,      ///< any kernel, stride and padding
  stem,        ///< 3x3 at stride 2 of an image of 4 channels with a border: two pixels a load
  transposed,  ///< kernel and stride 2: a 1x1 of four times as many columns, one set a sub-pixel
};

/// Values of the sum that a thread block takes at a time.
inline constexpr int kShortStep = 32;
inline constexpr int kLongStep = 64;  ///< pointwise alone

/// Columns, in units of 8, that a tile can have, ascending.
inline constexpr int kTileColumns[] = {2, 3, 4, 6, 8, 10, 12};

/// Sizes of the work of a thread block: rows * 64 output pixels by columns * 8 channels.
struct ConvolutionTile {
  int rows = 1;  ///< 1 or 2
  int columns = kTileColumns[0];
  int step = kShortStep;
};

struct ConvolutionArguments {
  const __half* input;
  const __half* weights;   ///< columns x sum, columns padded to whole tiles, sums to whole steps
  const float* bias;       ///< one a column, padded likewise
  const __half* residual;  ///< as large as the output, or null
  void* output;            ///< halves, or floats where `f32`

  int rows;        ///< pixels: of the output, or of the input where transposed
  int columns;     ///< output channels padded to 8, times 4 where transposed
  int chunks;      ///< of 8 values each in a row's sum
  int tap_chunks;  ///< of which belong to one tap
  int input_height;
  int input_width;
  int input_pitch;  ///< halves a pixel
  int row_width;    ///< pixels of a row of `rows`
  int output_pitch;
  int residual_pitch;
  graph::Window window;
  graph::Activation activation;
};

/// Shared memory that the longest sum takes; the smaller tiles of short steps fit every device.
[[nodiscard]] std::size_t convolution_shared_bytes(ConvolutionTile tile);

/// Lets the kernel have the shared memory that it needs; once before the first launch.
void prepare_convolution(ConvolutionKind kind, bool f32, ConvolutionTile tile);

/// `f32` is for pointwise and window alone. Throws std::invalid_argument for a
/// tile without a kernel.
void launch_convolution(ConvolutionKind kind, bool f32, ConvolutionTile tile,
                        const ConvolutionArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::engine
