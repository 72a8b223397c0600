// The kernels of PyramidHead.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/cuda/launch.h"
#include "detector/cnn/cuda/head_arguments.h"
#include "detector/cnn/cuda/operators/pyramid/pyramid.h"

namespace facepipe::engine {

/// Channels of the 1x1 convolution, the score first.
inline constexpr int kHeadChannels = 16;
/// Columns of a thread block, whose marks are one word a row: with two for the window 32, which are
/// 16 of either sub-pixel.
inline constexpr int kHeadColumns = 30;
inline constexpr int kLeastHeadTiles = 2;
inline constexpr int kMostHeadTiles = 4;
/// Rows that a warp marks: more spend less on weights, fewer on registers.
__host__ __device__ constexpr int head_warp_rows(int tiles) { return tiles < 4 ? 3 : 2; }
inline constexpr int kHeadWarpStep = 2;  ///< of the numbers of warps that a block can have
inline constexpr int kLeastHeadWarps = 2;
inline constexpr int kMostHeadWarps = 6;

struct PyramidHeadArguments {
  HeadArguments head;  ///< one level, whose tensors lie in `cells`
  PyramidArguments step;
  const std::byte* window;  ///< see window_weight_bytes()
  const float* window_bias;
  const uint4* outputs;  ///< steps x lanes, see pack_fragments()
  const float* outputs_bias;
  float least;           ///< of the score's channel, its activation pending, where it may pass
  float* cells;          ///< kHeadChannels each, written where the score passes
  std::uint32_t* words;  ///< marks: a bit a column, kHeadColumns of them a word, words_of() in all
};

__host__ __device__ constexpr int words_of_row(int width) {
  return (width + kHeadColumns - 1) / kHeadColumns;
}

/// The window's weights in the order of fragments: taps x steps of 16 x tiles x lanes of two words
/// and, where the tiles are odd, taps x tiles x lanes of one word for the last 8 channels.
__host__ __device__ constexpr int window_weight_bytes(int tiles) { return 9 * tiles * tiles * 128; }

/// Thread blocks of `warps` that a multiprocessor holds at once. Lets the kernel have its memory,
/// hence once before the first launch.
[[nodiscard]] int prepare_pyramid_head(int tiles, int warps);

/// Writes the candidates of marked cells, and how many there are.
void launch_head_places(const PyramidHeadArguments& arguments, cuda::Overlap overlap,
                        cuda::StreamView stream);

/// Marks cells and writes them out, then writes candidates.
void launch_pyramid_head(int tiles, int warps, const PyramidHeadArguments& arguments,
                         cuda::Overlap overlap, cuda::StreamView stream);

}  // namespace facepipe::engine
