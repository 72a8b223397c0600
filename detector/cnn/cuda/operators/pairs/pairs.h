// Computes pairs of a 1x1 convolution and a depthwise 3x3 convolution (graph::PairChains) in one
// kernel. The map between these two stays in registers. The kernel works from sm_80 on.
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

inline constexpr int kPairMaps = 4;        ///< largest number of maps of a launch
inline constexpr int kPairGroup = 16;      ///< number of output channels that a warp computes
inline constexpr int kPairChannels = 128;  ///< largest number of input or output channels
inline constexpr int kPairColumns = 30;    ///< output columns of a thread block

/// Limits for graph::fuse_pairs(). They hold if has_fused_kernels() is true for the chip.
inline constexpr graph::PairLimits kPairLimits{.channels = kPairChannels, .chains = kPairMaps};

/// Points to the weights of a pair, in the order in which the kernel reads them. The number of
/// outputs is padded to a multiple of 16, and the number of inputs to PairKind::steps * 16.
struct PairWeights {
  const uint4* pointwise;       ///< fragments: groups x steps of 16 inputs x lanes
  const float* pointwise_bias;  ///< one for each output
  const void* depthwise;        ///< taps x outputs: halves, or floats if the result is floats
  const void* depthwise_bias;   ///< one for each output: halves, or floats if the result is floats
};

/// Describes an input map, and the outputs that are computed from it. Pitches are in elements and
/// multiples of 8.
struct PairMap {
  const __half* input;
  const __half* coarse;  ///< a map that is upsampled by 2 and added to `input`; or null
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

/// Says what the kernel stores: the result of the pair as halves or floats, the maxima of its 2x2
/// pixels, or both.
enum class PairResult { halves, floats, maxima, halves_and_maxima };

[[nodiscard]] constexpr bool has_maxima(PairResult result) {
  return result == PairResult::maxima || result == PairResult::halves_and_maxima;
}

/// Holds the template parameters of a kernel.
struct PairKind {
  int steps = 1;  ///< see pair_steps()
  PairResult result = PairResult::halves;
  bool relu = true;
  bool upsampled = false;  ///< whether PairMap::coarse is not null
};

struct PairsArguments {
  PairMap maps[kPairMaps];
  int map_count;
  int groups;  ///< groups of 16 outputs; a team has a warp for each group
  int teams;   ///< number of teams of a block; each computes its own tile
  int rows;    ///< number of rows of a tile; an even number if there are maxima
  int tiles;   ///< number of tiles of all maps together
  int multiprocessors;
  bool overlaps;  ///< whether to launch with cuda::Overlap::prologue
};

/// A step handles 16 input channels. Returns the smallest number of steps that handles `channels`
/// and for which there is a kernel. Returns nullopt for more than 128 channels.
[[nodiscard]] std::optional<int> pair_steps(int channels);

/// Says how many blocks and teams of a kernel the device can run at a time.
struct PairRoom {
  int multiprocessors = 1;
  int blocks = 1;         ///< number of blocks that a multiprocessor runs at a time
  int teams = 1;          ///< number of teams in a block
  bool overlaps = false;  ///< whether the device supports cuda::Overlap::prologue
};

/// Allows the kernel to use its shared memory. Must be called before the first launch, and not
/// while a stream is captured. Throws Error(device) if not even the smallest block fits on a
/// multiprocessor.
[[nodiscard]] PairRoom prepare_pairs(const PairKind& kind, int groups);

/// Returns the number of rows of a tile with which a launch is expected to end the earliest. `maps`
/// are the sizes of the launch's maps. The number doesn't change the result.
[[nodiscard]] int pair_rows_for(const PairKind& kind, int groups, std::span<const Size> maps,
                                const PairRoom& room);

/// Launches the kernel. Callers need not set `tiles`, or `strips` and `first_tile` of the maps,
/// because this function computes them.
void launch_pairs(const PairKind& kind, const PairsArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::detector::engine
