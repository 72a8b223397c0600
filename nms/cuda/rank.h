// Candidates in rank order: what matrix ends and voting begins with.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "nms/cuda/view.h"

namespace facepipe::nms {

struct RankOutput {
  std::uint32_t* indices;  ///< or null
  std::uint64_t* keys;     ///< or null: see key_of()
  std::uint32_t* count;
  std::uint32_t* beyond_capacity;  ///< or null
};

/// Valid candidates in rank order, or those of them for which `chosen` is not 0.
void launch_rank(const View& view, const std::uint8_t* chosen, const RankOutput& output,
                 cudaStream_t stream);

}  // namespace facepipe::nms
