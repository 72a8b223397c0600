// Sorts candidates by rank. This is the last step of the rule `matrix` and the first step of
// voting.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "nms/cuda/candidate_view.h"

namespace facepipe::nms {

struct RankOutput {
  std::uint32_t* indices;  ///< may be null
  std::uint64_t* keys;     ///< key_of() of each written candidate; may be null
  std::uint32_t* count;
  std::uint32_t* beyond_capacity;  ///< may be null
};

/// Writes the valid candidates in rank order. If `chosen` is not null, it writes only candidates
/// whose element in `chosen` is not 0.
void launch_rank(const CandidateView& view, const std::uint8_t* chosen, const RankOutput& output,
                 cudaStream_t stream);

}  // namespace facepipe::nms
