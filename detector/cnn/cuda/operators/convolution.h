// Convolutions are matrix products on the tensor cores ("implicit GEMM"): rows are output pixels,
// columns are output channels, and the sum index k runs over the window's taps and the input
// channels.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>

#include "detector/cnn/cuda/operators/residual.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

/// Tells which input values make up a row of the matrix, and where its results go.
enum class ConvolutionKind {
  pointwise,   ///< 1x1: the input map is the matrix
  window,      ///< any kernel, stride and padding
  stem,        ///< 3x3 at stride 2 of an image (see Placement): a load has two pixels
  transposed,  ///< kernel 2 and stride 2: a 1x1 with a set of columns for each of the four
               ///< sub-pixels
};

/// The number of values of k that a thread block processes in a step.
inline constexpr int kShortStep = 32;
inline constexpr int kLongStep = 64;  ///< only for pointwise

/// The widths that a tile can have, in units of 8 columns, ascending.
inline constexpr int kTileColumns[] = {2, 3, 4, 6, 8, 10, 12};

/// The part of the product that a thread block computes: rows * 64 output pixels by columns * 8
/// channels.
struct ConvolutionTile {
  int rows = 1;  ///< 1 or 2
  int columns = kTileColumns[0];
  int step = kShortStep;
};

struct ConvolutionArguments {
  const __half* input;
  const __half* weights;  ///< columns x k, padded to whole tiles and whole steps
  const float* bias;      ///< one for each column, padded to whole tiles
  void* output;           ///< halves, or floats if `f32`
  Residual residual;

  int rows;        ///< pixels of the output, or of the input if transposed
  int columns;     ///< output channels padded to 8, times 4 if transposed
  int chunks;      ///< chunks of 8 k in a row of the matrix
  int tap_chunks;  ///< chunks of 8 k in one tap
  int input_height;
  int input_width;
  int input_pitch;  ///< halves from one pixel to the next
  int row_width;    ///< pixels of one row of the map whose pixels are `rows`
  int output_pitch;
  graph::Window window;
  graph::Activation activation;
};

/// Returns the largest shared memory that a launch with this tile can need. Tiles of short steps
/// fit every device.
[[nodiscard]] std::size_t convolution_shared_bytes(ConvolutionTile tile);

/// Allows the kernel to use that much shared memory. Call it before the first launch.
void prepare_convolution(ConvolutionKind kind, bool f32, ConvolutionTile tile);

/// `f32` says that the output is floats; only pointwise and window can do that. Throws
/// Error(internal) if there is no kernel for the tile.
void launch_convolution(ConvolutionKind kind, bool f32, ConvolutionTile tile,
                        const ConvolutionArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::detector::engine
