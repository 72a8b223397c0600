// Kept boxes moved to the mean of themselves and those that fell to them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "nms/cuda/view.h"
#include "nms/nms.h"

namespace facepipe::nms {

struct VotingScratch {
  std::uint64_t* keys;     ///< capacity: of all valid candidates, in rank order
  std::uint32_t* count;    ///< of them
  std::uint32_t* joined;   ///< capacity: which kept one each of them joins
  std::uint32_t* rank_of;  ///< capacity: where among the keys each kept one is
};

/// `indices` and `kept` are what the rule left: kept candidates in rank order, and how many.
void launch_voting(const NmsOptions& options, const View& view, const std::uint32_t* indices,
                   const std::uint32_t* kept, const VotingScratch& scratch, float4* moved,
                   cudaStream_t stream);

}  // namespace facepipe::nms
