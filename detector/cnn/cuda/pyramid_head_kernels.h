// Declares the kernels of PyramidHead.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/cuda/launch.h"
#include "detector/cnn/cuda/head_arguments.h"
#include "detector/cnn/cuda/operators/pyramid/pyramid.h"

namespace facepipe::detector::engine {

/// Number of output channels of the 1x1 convolution. The first channel is the score.
inline constexpr int kHeadChannels = 16;
/// Number of output columns of a thread block. The 3x3 window needs one more column on each side.
/// So a block computes 32 columns of the pyramid's last map: 16 even and 16 odd columns, which are
/// different sub-pixels of the transposed convolution. Each row of outputs has one bit for each
/// column, in one word.
inline constexpr int kHeadColumns = 30;
inline constexpr int kLeastHeadTiles = 2;
inline constexpr int kMostHeadTiles = 4;
/// Returns the number of output rows of a warp. More rows need fewer loads of weights, but more
/// registers.
__host__ __device__ constexpr int head_warp_rows(int tiles) { return tiles < 4 ? 3 : 2; }
inline constexpr int kHeadWarpStep = 2;  ///< the number of warps of a block is a multiple of this
inline constexpr int kLeastHeadWarps = 2;
inline constexpr int kMostHeadWarps = 6;

struct PyramidHeadArguments {
  HeadArguments head;  ///< one level, whose tensors are parts of `cells`
  PyramidArguments step;
  const std::byte* window;  ///< see window_weight_bytes()
  const float* window_bias;
  const uint4* outputs;  ///< steps x lanes, see pack_fragments()
  const float* outputs_bias;
  float least;           ///< a score can pass the threshold only if its channel, before the
                         ///< activation, is at least this
  float* cells;          ///< outputs, kHeadChannels for each cell; written if the score passes
  std::uint32_t* words;  ///< a bit for each cell, set if the cell holds a candidate; kHeadColumns
                         ///< bits in a word, and words_of_row() words in a row
};

__host__ __device__ constexpr int words_of_row(int width) {
  return (width + kHeadColumns - 1) / kHeadColumns;
}

/// Returns the size of the 3x3 convolution's weights as fragments: taps x steps of 16 channels x
/// tiles x lanes of two words. If the number of tiles is odd, taps x tiles x lanes of one word
/// follow for the last 8 channels.
__host__ __device__ constexpr int window_weight_bytes(int tiles) { return 9 * tiles * tiles * 128; }

/// Allows the kernel to use its shared memory. Must be called before the first launch. Returns how
/// many blocks of `warps` warps a multiprocessor can run at a time.
[[nodiscard]] int prepare_pyramid_head(int tiles, int warps);

/// Writes the candidates of the cells whose bit is set in `words`, in raster order, and the number
/// of these candidates.
void launch_head_compaction(const PyramidHeadArguments& arguments, cuda::Overlap overlap,
                            cuda::StreamView stream);

/// Computes `cells` and `words`, then calls launch_head_compaction().
void launch_pyramid_head(int tiles, int warps, const PyramidHeadArguments& arguments,
                         cuda::Overlap overlap, cuda::StreamView stream);

}  // namespace facepipe::detector::engine
