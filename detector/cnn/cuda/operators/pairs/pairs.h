// This kernel computes pairs of a 1x1 convolution and a depthwise 3x3 one (graph::PairChains). The
// map between the two never leaves the registers. It works from sm_80 on.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/geometry.h"
#include "detector/cnn/model/graph/fuse_pairs.h"

namespace facepipe::detector::engine {

inline constexpr int kPairMaps = 4;        ///< the most maps of a launch
inline constexpr int kPairGroup = 16;      ///< output channels that a warp computes
inline constexpr int kPairChannels = 128;  ///< the most input and output channels
inline constexpr int kPairColumns = 30;    ///< output columns that a thread block computes

/// Limits of graph::fuse_pairs() if has_fused_kernels() is true for the chip.
inline constexpr graph::PairLimits kPairLimits{.channels = kPairChannels, .chains = kPairMaps};

/// Weights of a pair in the order in which the kernel reads them. Outputs are padded to groups of
/// 16, inputs to PairKind::steps * 16.
struct PairWeights {
  const uint4* pointwise;       ///< fragments: groups x steps of 16 inputs x lanes
  const float* pointwise_bias;  ///< one for each output
  const void* depthwise;        ///< taps x outputs: halves, or floats if the result is floats
  const void* depthwise_bias;   ///< one for each output: halves, or floats if the result is floats
};

/// An input map, and the outputs that are computed from it. Pitches are in elements and multiples
/// of 8.
struct PairMap {
  const __half* input;
  const __half* coarse;  ///< upsampled by 2 and added to `input`; or null
  void* output;          ///< halves or floats; null for PairResult::maxima
  __half* pooled;        ///< the output of 2x2 max pooling; null if there is none
  PairWeights weights;
  int height;
  int width;
  int input_pitch;
  int coarse_pitch;
  int output_pitch;
  int pooled_pitch;
  int strips;      ///< number of strips of kPairColumns columns
  int first_tile;  ///< number of tiles of the maps before this one
};

/// Tells what the kernel stores: the result of the pair as halves or floats, its 2x2 maxima, or
/// both.
enum class PairResult { halves, floats, maxima, halves_and_maxima };

[[nodiscard]] constexpr bool has_maxima(PairResult result) {
  return result == PairResult::maxima || result == PairResult::halves_and_maxima;
}

/// The template parameters of a kernel.
struct PairKind {
  int steps = 1;  ///< see pair_steps()
  PairResult result = PairResult::halves;
  bool relu = true;
  bool upsampled = false;  ///< whether PairMap::coarse is not null
};

struct PairsArguments {
  PairMap maps[kPairMaps];
  int map_count;
  int groups;  ///< groups of 16 outputs; a team of as many warps computes a tile
  int teams;   ///< teams of a block; each computes a tile of its own
  int rows;    ///< rows of a tile, which is as wide as a strip; even for maxima
  int tiles;   ///< tiles of all maps together
  int multiprocessors;
  bool overlaps;  ///< whether to launch with cuda::Overlap::prologue
};

/// Returns the least number of steps of 16 input channels for which there is a kernel and which
/// hold `channels`. Returns nullopt for more than 128 channels.
[[nodiscard]] std::optional<int> pair_steps(int channels);

/// Tells how many blocks and teams of a kernel the device can run at a time.
struct PairRoom {
  int multiprocessors = 1;
  int blocks = 1;         ///< number that a multiprocessor runs at a time
  int teams = 1;          ///< number in a block
  bool overlaps = false;  ///< whether the device supports cuda::Overlap::prologue
};

/// Allows the kernel to use its shared memory. Call it before the first launch, and not while a
/// stream is captured. Errors: device, if not even the smallest block fits on a multiprocessor.
[[nodiscard]] PairRoom prepare_pairs(const PairKind& kind, int groups);

/// Returns the number of rows of a tile for which a launch with maps of these sizes is expected to
/// end the earliest. It doesn't change the result.
[[nodiscard]] int pair_rows_for(const PairKind& kind, int groups, std::span<const Size> maps,
                                const PairRoom& room);

/// Launches the kernel. It sets `strips` and `first_tile` of the maps, and `tiles`, itself.
void launch_pairs(const PairKind& kind, const PairsArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::detector::engine
