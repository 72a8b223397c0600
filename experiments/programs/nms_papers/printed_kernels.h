// The kernels of Oro et al. 2016 and 2020 as they are printed, and variants between them and our
// kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "experiments/programs/nms_papers/printed_rule.h"

namespace facepipe::nms_papers {

/// The data of both kernels, in device memory.
struct PrintedMatrix {
  const PrintedDetection* detections;  ///< D: d_max detections; those behind the last one are 0
  std::uint8_t* cells;                 ///< B: d_max rows of d_max bytes
  std::uint8_t* survives;              ///< V: d_max bytes
  std::uint32_t d_max;
  float threshold;
};

/// The usual side of a map kernel's blocks. The papers don't state their side.
inline constexpr std::uint32_t kUsualBlockSide = 16;

/// Says which cells the threads of a map kernel's block compute.
enum class MapShape : std::uint8_t {
  printed,    ///< x counts rows, as printed: neighbouring threads write to different rows
  coalesced,  ///< x counts columns: neighbouring threads write neighbouring bytes
};

/// Launches Algorithm 1 with a thread for each cell of `side` rows and columns. Blocks have
/// `block_side` rows and columns. All cells must have been set to 1 before.
void launch_printed_map(const PrintedMatrix& matrix, std::uint32_t side, std::uint32_t block_side,
                        MapShape shape, cudaStream_t stream);

/// Says what differs in a reduce kernel. Each value includes the changes of the values before it.
enum class ReduceStep : std::uint8_t {
  printed,     ///< k iterations; V[i] is in global memory
  up_to_n,     ///< the iterations end with the last detection
  ends_early,  ///< V[i] is in a register, and the iterations end when the row is suppressed
  capped,      ///< there are at most 16 blocks for each multiprocessor, and each takes several rows
};

/// Launches Algorithm 2 on `rows` rows, with a block of d_max / k threads for each row. If the
/// iterations end with the last detection, `rows` must be the number of detections.
/// `multiprocessors` matters only if blocks are capped.
void launch_printed_reduce(const PrintedMatrix& matrix, std::uint32_t rows, std::uint32_t k,
                           ReduceStep step, std::uint32_t multiprocessors, cudaStream_t stream);

}  // namespace facepipe::nms_papers
