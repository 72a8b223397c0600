// Implements box voting, which moves each kept box to the mean of itself and the boxes that joined
// it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "nms/cuda/candidate_view.h"
#include "nms/nms.h"

namespace facepipe::nms {

struct VotingScratch {
  std::uint64_t* keys;     ///< `capacity` elements: the keys of all valid candidates, in rank order
  std::uint32_t* count;    ///< the number of valid candidates
  std::uint32_t* joined;   ///< `capacity` elements: for each key, the kept candidate that it joins
  std::uint32_t* rank_of;  ///< `capacity` elements: for each kept candidate, its position in `keys`
};

/// Enqueues box voting. `indices` and `kept` are the output of the rule: the kept candidates in
/// rank order, and their number. Writes their moved boxes to `moved`, in the same order.
void launch_voting(const NmsOptions& options, const CandidateView& view,
                   const std::uint32_t* indices, const std::uint32_t* kept,
                   const VotingScratch& scratch, float4* moved, cudaStream_t stream);

}  // namespace facepipe::nms
