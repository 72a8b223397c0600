// Pairs of a 1x1 convolution and a depthwise 3x3 one (graph::PairChains) in one kernel: what lies
// between the two never leaves the registers. From compute capability 8.0 on.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "detector/cnn/model/graph/fuse_pairs.h"

namespace facepipe::engine {

inline constexpr int kPairMaps = 4;        ///< of a launch, at most
inline constexpr int kPairGroup = 16;      ///< channels that a warp computes of a map
inline constexpr int kPairChannels = 128;  ///< in and out, at most
inline constexpr int kPairColumns = 30;    ///< of the output, that a thread block computes

/// What graph::fuse_pairs() may make where the chip has_fused_kernels().
inline constexpr graph::PairLimits kPairLimits{
    .channels = kPairChannels, .pairs = 1, .chains = kPairMaps};

/// Weights of a pair as the kernel reads them; outputs padded to groups of 16, inputs to a multiple
/// of 16 of which the kernel has an instance.
struct PairWeights {
  const uint4* pointwise;       ///< fragments: a group, 16 inputs of it, a lane
  const float* pointwise_bias;  ///< an output
  const void* depthwise;        ///< a tap, an output of it: halves, or floats if the result is
  const void* depthwise_bias;   ///< an output, likewise
};

/// A map and what is made of it. Pitches in elements, multiples of 8.
struct PairMap {
  const __half* input;
  const __half* coarse;  ///< repeated twice on both axes and added to `input`; or null
  void* output;          ///< halves or floats; null for PairResult::maxima
  __half* pooled;        ///< maxima of 2x2; null where there are none
  PairWeights weights;
  int height;
  int width;
  int input_pitch;
  int coarse_pitch;
  int output_pitch;
  int pooled_pitch;
  int strips;      ///< of kPairColumns columns
  int first_tile;  ///< of this map's
};

enum class PairResult { halves, floats, maxima, halves_and_maxima };

[[nodiscard]] constexpr bool has_maxima(PairResult result) {
  return result == PairResult::maxima || result == PairResult::halves_and_maxima;
}

/// What tells the kernels apart.
struct PairKind {
  int steps = 1;  ///< as pair_steps() gave it
  PairResult result = PairResult::halves;
  bool relu = true;
  bool upsampled = false;  ///< the maps have a coarse one
};

struct PairsArguments {
  PairMap maps[kPairMaps];
  int map_count;
  int groups;  ///< of 16 outputs: the warps that share a tile
  int teams;   ///< of so many warps, each with a tile of its own, in a block
  int rows;    ///< of a tile, which is a strip's width; even where there are maxima
  int tiles;   ///< of all maps
  int multiprocessors;
  bool overlaps;  ///< with the end of the kernel before: cuda::Overlap::prologue
};

/// Input channels in units of 16 that there is a kernel for, at least so many; nothing above 128
/// channels.
[[nodiscard]] std::optional<int> pair_steps(int channels);

/// How blocks of a kernel fill the device.
struct PairRoom {
  int multiprocessors = 1;
  int blocks = 1;         ///< of a multiprocessor at a time
  int teams = 1;          ///< of a block
  bool overlaps = false;  ///< cuda::Overlap::prologue is there
};

/// To be called before the first launch, outside of captures: lets the kernel have its memory.
/// Errors: device, where not even a small block fits on a multiprocessor.
[[nodiscard]] PairRoom prepare_pairs(const PairKind& kind, int groups);

/// `strips` and `first_tile` of the maps, and `tiles`, are set here.
void launch_pairs(const PairKind& kind, const PairsArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::engine
