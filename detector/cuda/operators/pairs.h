// Pairs of a 1x1 convolution and a depthwise 3x3 one (graph::PairChains) in one kernel: what lies
// between the two never leaves the registers. From compute capability 8.0 on.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "detector/graph/fuse_pairs.h"

namespace facepipe::engine {

inline constexpr int kPairMaps = 4;        ///< of a launch, at most
inline constexpr int kPairGroup = 16;      ///< channels that a warp computes of a map
inline constexpr int kPairChannels = 128;  ///< in and out, at most
inline constexpr int kPairColumns = 30;    ///< of the output, that a thread block computes

/// What graph::fuse_pairs() may make for the current device; nothing for one without the kernels.
[[nodiscard]] std::optional<graph::PairLimits> pair_limits_of_current_device();

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
  void* output;          ///< halves or floats; null where maxima alone are wanted
  __half* pooled;        ///< maxima of 2x2; null but for PairResult::pooled
  PairWeights weights;
  int height;
  int width;
  int input_pitch;
  int coarse_pitch;
  int output_pitch;
  int pooled_pitch;
  int relu;
  int strips;       ///< of kPairColumns columns
  int first_block;  ///< of this map's thread blocks
};

enum class PairResult { halves, floats, pooled };

/// What a thread block computes: all groups of a strip, `parts` times `rows` rows of it. A warp
/// takes `rows` rows of a group.
struct PairTile {
  int rows = 1;  ///< even where the result is pooled
  int parts = 1;
};

struct PairsArguments {
  PairMap maps[kPairMaps];
  int map_count;
  int groups;  ///< of 16 outputs
  PairTile tile;
};

/// Input channels in units of 16 that there is a kernel for, at least so many; nothing above 128
/// channels.
[[nodiscard]] std::optional<int> pair_steps(int channels);

/// Shared memory of a thread block.
[[nodiscard]] std::size_t pair_shared_bytes(int steps, const PairTile& tile);

/// To be called before the first launch, outside of captures: lets the kernel have its memory.
void prepare_pairs(int steps, PairResult result);

/// `steps` as pair_steps() gave it. first_block and strips of the maps are set here.
void launch_pairs(int steps, PairResult result, const PairsArguments& arguments,
                  cudaStream_t stream);

}  // namespace facepipe::engine
