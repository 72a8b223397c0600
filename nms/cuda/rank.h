// Sorts candidates by rank: the last step of the rule matrix and the first of voting.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "nms/cuda/candidate_view.h"

namespace facepipe::nms {

struct RankOutput {
  std::uint32_t* indices;  ///< or null
  std::uint64_t* keys;     ///< or null: see key_of()
  std::uint32_t* count;
  std::uint32_t* beyond_capacity;  ///< or null
};

/// Writes the valid candidates in rank order. If `chosen` is not null, only those whose element in
/// it is not 0.
void launch_rank(const CandidateView& view, const std::uint8_t* chosen, const RankOutput& output,
                 cudaStream_t stream);

}  // namespace facepipe::nms
