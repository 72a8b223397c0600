// Implements the rule `groups` on a device. It computes what cpu/groups.h computes, bit for bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "nms/cuda/candidate_view.h"
#include "nms/cuda/suppressor.h"
#include "nms/nms.h"
#include "nms/similar.h"

namespace facepipe::nms {

/// Holds the sums over a group's candidates. The lowest of their indices is the index of the sums.
/// All summands are integers, so their order doesn't matter.
struct GroupSums {
  unsigned long long x;  // negative sums are in two's complement
  unsigned long long y;
  unsigned long long width;
  unsigned long long height;
};

/// Holds arrays of `capacity` elements. The index is a candidate's index, except in the arrays of
/// large groups.
struct GroupsScratch {
  WholeBox* boxes;  ///< a box has no width if its candidate is invalid
  /// The forest of the groups. A parent's index is at most its candidate's own index.
  std::uint32_t* parents;
  GroupSums* sums;
  std::uint32_t* members;
  std::uint32_t* large;        ///< indices of the large groups, in any order
  WholeBox* means;             ///< mean boxes of the large groups
  std::uint64_t* keys;         ///< key_of() of each large group; 0 if the group is removed
  std::uint32_t* large_count;  ///< a single number
};

/// Enqueues the kernels of the rule. The kernels write kept.indices, boxes, scores, count and
/// beyond_capacity.
void launch_groups(const CandidateView& view, std::uint32_t min_neighbours,
                   const GroupsScratch& scratch, std::uint32_t multiprocessors,
                   const DeviceKept& kept, cudaStream_t stream);

}  // namespace facepipe::nms
