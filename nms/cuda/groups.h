// The rule groups on a device: what cpu/groups.h computes, bit for bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "nms/cuda/candidate_view.h"
#include "nms/cuda/suppressor.h"
#include "nms/nms.h"
#include "nms/similar.h"

namespace facepipe::nms {

/// What a group's candidates add up to, at the lowest of their indices. Sums are of integers, so
/// that their order doesn't matter.
struct GroupSums {
  unsigned long long x;  // negative ones as two's complement
  unsigned long long y;
  unsigned long long width;
  unsigned long long height;
};

/// Arrays of `capacity` elements; by a candidate's index but for those of large groups.
struct GroupsScratch {
  WholeBox* boxes;         ///< of no width where the candidate is invalid
  std::uint32_t* parents;  ///< the forest of the groups: none above its candidate's own index
  GroupSums* sums;
  std::uint32_t* members;
  std::uint32_t* large;        ///< indices of the large groups, in any order
  WholeBox* means;             ///< of the large groups
  std::uint64_t* keys;         ///< of the large groups: key_of(); 0 for one that goes
  std::uint32_t* large_count;  ///< one
};

/// Enqueues the rule: kept.indices, boxes, scores, count and beyond_capacity are set.
void launch_groups(const CandidateView& view, std::uint32_t min_neighbours,
                   const GroupsScratch& scratch, std::uint32_t multiprocessors,
                   const DeviceKept& kept, cudaStream_t stream);

}  // namespace facepipe::nms
