// Computes convolutions as matrix products on the tensor cores ("implicit GEMM"). Rows are output
// pixels, columns are output channels, and the index k of the sum runs over the window's taps and
// the input channels.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>

#include "detector/cnn/cuda/operators/residual.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

/// Says which input values a row of the matrix contains, and where its results are stored.
enum class ConvolutionKind {
  pointwise,   ///< 1x1: the input map is the matrix
  window,      ///< any kernel, stride and padding
  stem,        ///< 3x3 at stride 2 of an image (see Placement); one load reads two pixels
  transposed,  ///< kernel 2 and stride 2: a 1x1 convolution with four times the columns, one set
               ///< for each sub-pixel
};

/// Number of values of k that a thread block processes in a step.
inline constexpr int kShortStep = 32;
inline constexpr int kLongStep = 64;  ///< only for pointwise

/// The possible widths of a tile, in units of 8 columns, ascending.
inline constexpr int kTileColumns[] = {2, 3, 4, 6, 8, 10, 12};

/// Describes the part of the product that a thread block computes: rows * 64 output pixels by
/// columns * 8 channels.
struct ConvolutionTile {
  int rows = 1;  ///< 1 or 2
  int columns = kTileColumns[0];
  int step = kShortStep;
};

struct ConvolutionArguments {
  const __half* input;
  const __half* weights;  ///< columns x k; both are padded, to whole tiles and to whole steps
  const float* bias;      ///< one for each column, padded to whole tiles
  void* output;           ///< halves, or floats if `f32`
  Residual residual;

  int rows;        ///< number of pixels of the output, or of the input if transposed
  int columns;     ///< number of output channels, padded to a multiple of 8; times 4 if transposed
  int chunks;      ///< number of chunks of 8 values of k in a row of the matrix
  int tap_chunks;  ///< number of chunks of 8 values of k in a tap
  int input_height;
  int input_width;
  int input_pitch;  ///< number of halves from one pixel to the next
  int row_width;    ///< width of the map whose pixels `rows` counts
  int output_pitch;
  graph::Window window;
  graph::Activation activation;
};

/// Returns the largest number of bytes of shared memory that a launch with this tile can need.
/// Tiles with short steps fit every device.
[[nodiscard]] std::size_t convolution_shared_bytes(ConvolutionTile tile);

/// Allows the kernel to use the shared memory for this tile. Must be called before the first
/// launch.
void prepare_convolution(ConvolutionKind kind, bool f32, ConvolutionTile tile);

/// If `f32` is true, the output is floats; only pointwise and window can do this. Throws
/// Error(internal) if there is no kernel for the tile.
void launch_convolution(ConvolutionKind kind, bool f32, ConvolutionTile tile,
                        const ConvolutionArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::detector::engine
