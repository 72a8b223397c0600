// Computes the inverted residual block of MobileNetV2 (Sandler et al., 2018) in one kernel. The
// block consists of a 1x1 expansion with relu, a depthwise 3x3 at stride 1 or 2 with relu, a 1x1
// projection, and optionally the addition of a residual. Intermediate maps never leave the chip.
// The kernel works from sm_80 on.
//
// A thread block computes a strip: 32 input pixels wide and some rows high. It works in two phases.
// In the first phase, a warp computes a group of 16 expanded channels for some rows. The tensor
// cores expand a row. Each lane gets the results that it needs for the depthwise convolution, whose
// sums stay in registers. The results of the depthwise convolution have the layout of operands of
// the projection, and are stored in shared memory. In the second phase, the warps divide pixels and
// output channels among themselves and compute the projection. The expanded channels can also be
// divided among the blocks of a cluster. The blocks then add up their partial sums at the end.
//
// Units: a chunk is 16 bytes, which hold 8 channels of a pixel. An expanded group is 16 expanded
// channels.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/cuda/stream.h"
#include "detector/cnn/cuda/operators/residual.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

/// Number of expanded channels of a group.
inline constexpr int kExpandedGroup = 16;
/// Number of output columns of a strip at stride 1; half as many at stride 2.
inline constexpr int kStripPixels = 30;
/// Largest number of blocks in a cluster.
inline constexpr int kMostSplit = 8;

/// Says how the work is divided. Results of different tiles differ only by the rounding of sums.
struct InvertedResidualTile {
  int rows = 4;         ///< number of output rows that a warp computes in one item of work
  int groups = 1;       ///< number of row groups of a block, each of `rows` rows
  int warps = 4;        ///< number of warps of a block
  int split = 1;        ///< number of blocks of a cluster, which share the expanded groups
  int pixel_tiles = 1;  ///< 1 or 2: number of tiles of 16 pixels that a warp projects at a time
  /// whether the first phase reads its weights from shared memory, if a warp has more than one item
  /// of work
  bool staged = true;

  [[nodiscard]] int block_rows() const { return rows * groups; }
  friend bool operator==(const InvertedResidualTile&, const InvertedResidualTile&) = default;
};

/// Holds the kernel's sizes, which follow from the shapes of the node.
struct InvertedResidualShape {
  int input_chunks = 0;     ///< number of chunks of input channels for which the kernel is compiled
  int expanded_groups = 0;  ///< number of expanded groups, see kExpandedGroup
  int column_tiles = 0;   ///< 2, 3 or 4: tiles of 8 output channels that a warp projects at a time
  int column_groups = 0;  ///< number of groups of `column_tiles` tiles
  int stride = 1;
  int output_height = 0;
  int output_width = 0;
  friend bool operator==(const InvertedResidualShape&, const InvertedResidualShape&) = default;
};

/// Points to the packed weights in device memory; see InvertedResidualWeights in weights.h.
struct WeightPointers {
  const uint4* expand;
  const uint4* depthwise;
  const uint4* project;
  const float* bias;  ///< bias of the projection, padded to whole column groups
};

/// Says how a block's work is divided. This depends on the tile; launch_inverted_residual() sets
/// it.
struct BlockDivision {
  int row_groups;  ///< InvertedResidualTile::groups
  int pixel_tiles;
  int expanded_groups;  ///< largest number of expanded groups of a block
  /// number of chunks of the strip, or of the partial sums that a block receives, if these are more
  int strip_chunks;
  int stage_weights;  ///< whether the first phase reads its weights from shared memory
};

struct InvertedResidualArguments {
  const __half* input;
  __half* output;
  Residual residual;
  WeightPointers weights;

  int input_height;
  int input_width;
  int input_pitch;  ///< number of halves from one pixel to the next: a multiple of 8
  int output_height;
  int output_width;
  int output_pitch;  ///< number of halves from one pixel to the next: a multiple of 8
  int input_chunks;  ///< number of chunks of the map's channels; the kernel's other chunks are
                     ///< zeros
  int expanded_groups;
  int column_tiles;
  int column_groups;
  float least;  ///< lower bound of the projection's result: 0 for relu, otherwise minus infinity

  BlockDivision block;
};

/// Returns the smallest number of input chunks that is at least `chunks` and for which there is a
/// kernel. Returns 0 if there is no such kernel.
[[nodiscard]] int compiled_chunks(int chunks);
/// Returns whether there is a kernel with this InvertedResidualTile::rows.
[[nodiscard]] bool has_rows(int compiled_chunks, int stride, int rows);

/// Returns the largest number of warps that a block may have.
[[nodiscard]] int most_warps(const InvertedResidualShape& shape);

/// Returns the number of bytes of shared memory of a block.
[[nodiscard]] std::size_t shared_bytes_of(const InvertedResidualShape& shape,
                                          const InvertedResidualTile& tile);

/// Allows the kernel to use its shared memory. Must be called before the first launch. Returns how
/// many blocks a multiprocessor can run at a time; 0 if none. Throws Error(internal) if there is no
/// kernel for the tile.
[[nodiscard]] int prepare_inverted_residual(const InvertedResidualShape& shape,
                                            const InvertedResidualTile& tile);

/// `programmatic` must be true only if the device supports cuda::Overlap::prologue.
void launch_inverted_residual(const InvertedResidualShape& shape, const InvertedResidualTile& tile,
                              const InvertedResidualArguments& arguments, bool programmatic,
                              cuda::StreamView stream);

}  // namespace facepipe::detector::engine
