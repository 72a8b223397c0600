// The block of MobileNetV2 (Sandler et al., 2018) in one kernel: 1x1 expansion with relu, depthwise
// 3x3 at stride 1 or 2 with relu, 1x1 projection, and an addition. What lies between never leaves
// the chip. sm_80 and newer.
//
// A thread block takes a strip of pixels 32 wide and some rows high. It works in two phases. In the
// first, each warp takes 16 expanded channels of some rows: the tensor cores expand a row, whose
// results are, lane by lane, already what the depthwise convolution wants, which adds up in
// registers, and whose results in turn are the operands of the projection; those go to shared
// memory. In the second phase warps share out pixels and output channels. Expanded channels can
// also be split over the blocks of a cluster, which add up what they have in the end.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/cuda/stream.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::engine {

/// Expanded channels of a step of the first phase.
inline constexpr int kExpandedStep = 16;
/// Pixels of a strip that yield results at stride 1; half as many at stride 2.
inline constexpr int kStripPixels = 30;
/// Blocks of a cluster, at most.
inline constexpr int kMostSplit = 8;

/// How the work is cut. Results are the same up to the rounding of sums.
struct InvertedResidualTile {
  int rows = 4;         ///< output rows that a warp computes at a time
  int groups = 1;       ///< of so many rows that a block has
  int warps = 4;        ///< of a block
  int split = 1;        ///< blocks that share the expanded channels of a strip
  int pixel_tiles = 1;  ///< 1 or 2: rows of 16 pixels that a warp projects at a time
  bool staged = true;   ///< weights of the first phase come by way of shared memory, where a warp
                        ///< has more than one piece of work

  [[nodiscard]] int block_rows() const { return rows * groups; }
  friend bool operator==(const InvertedResidualTile&, const InvertedResidualTile&) = default;
};

/// What is fixed by the shapes.
struct InvertedResidualShape {
  int input_eighths = 0;  ///< input channels, as the kernel is compiled for them, in units of 8
  int chunks = 0;         ///< expanded channels in units of kExpandedStep
  int column_tiles = 0;  ///< output channels that a warp projects at a time, in units of 8: 2, 3, 4
  int column_groups = 0;  ///< of so many
  int stride = 1;
  int output_height = 0;
  int output_width = 0;
  friend bool operator==(const InvertedResidualShape&, const InvertedResidualShape&) = default;
};

struct InvertedResidualArguments {
  const __half* input;
  const __half* residual;  ///< as large as the output, or null
  __half* output;
  const uint4* expand;     ///< see inverted_residual_weights.h
  const uint4* depthwise;  ///< likewise
  const uint4* project;    ///< likewise
  const float* bias;       ///< of the projection, padded to whole column groups

  int input_height;
  int input_width;
  int input_pitch;  ///< halves a pixel: a multiple of 8
  int output_height;
  int output_width;
  int output_pitch;  ///< likewise
  int residual_pitch;
  int input_eighths;  ///< that there are; what the kernel has more of is 0
  int chunks;
  int column_tiles;
  int column_groups;
  float least;  ///< of the projection with its bias: 0 for relu, else minus infinity

  // What the tile says; launch_inverted_residual() fills it in.
  int row_groups;  ///< InvertedResidualTile::groups
  int pixel_tiles;
  int block_chunks;   ///< chunks that a block has at most
  int strip_blocks;   ///< 16 bytes each, of a strip or of what a cluster's blocks send each other
  int stage_weights;  ///< whether weights of the first phase go by way of shared memory
};

/// Input channels that there is a kernel for, in units of 8, not fewer than `eighths`; 0: none.
[[nodiscard]] int compiled_eighths(int eighths);
/// Whether there is a kernel for so many rows at a time.
[[nodiscard]] bool has_rows(int compiled_eighths, int stride, int rows);

/// Warps that a block can have.
[[nodiscard]] int most_warps(const InvertedResidualShape& shape);

/// Shared memory of a block.
[[nodiscard]] std::size_t shared_bytes_of(const InvertedResidualShape& shape,
                                          const InvertedResidualTile& tile);

/// Lets the kernel have its shared memory; once before the first launch. Returns how many blocks
/// fit a multiprocessor: 0 if none does. Throws std::invalid_argument for a tile without a kernel.
[[nodiscard]] int prepare_inverted_residual(const InvertedResidualShape& shape,
                                            const InvertedResidualTile& tile);

/// `programmatic`: the device knows cuda::Overlap::prologue.
void launch_inverted_residual(const InvertedResidualShape& shape, const InvertedResidualTile& tile,
                              const InvertedResidualArguments& arguments, bool programmatic,
                              cuda::StreamView stream);

}  // namespace facepipe::engine
