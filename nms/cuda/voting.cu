#include "nms/cuda/voting.h"

#include "core/cuda/check.h"
#include "nms/cuda/cooperative.h"
#include "nms/cuda/device.cuh"
#include "nms/cuda/overlaps.cuh"
#include "nms/cuda/rank.h"

namespace facepipe::nms {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;
constexpr unsigned kStaged = 256;  // number of kept candidates that are in shared memory at a time
constexpr unsigned kJoinThreads = 256;

struct VotingArguments {
  CandidateView view;
  const std::uint32_t* indices;
  const std::uint32_t* kept;
  VotingScratch scratch;
  float threshold;
  bool squares, plus_one;
  float4* moved;
};

struct Staged {
  Box boxes[kStaged];
  float areas[kStaged];
  std::uint64_t keys[kStaged];
};

/// Returns a candidate's box in the form that the rule compares (see matrix_box()).
__device__ __forceinline__ Box compared_box(const VotingArguments& arguments, unsigned index) {
  return matrix_box(as_box(__ldg(arguments.view.boxes + index)), arguments.squares,
                    arguments.plus_one);
}

__device__ __forceinline__ void stage(const VotingArguments& arguments, Staged& staged,
                                      unsigned first, unsigned end) {
  const unsigned k = first + threadIdx.x;
  if (k >= end) return;
  const unsigned index = arguments.indices[k];
  const Box box = compared_box(arguments, index);
  staged.boxes[threadIdx.x] = box;
  staged.areas[threadIdx.x] = area(box);
  staged.keys[threadIdx.x] = key_of(ordered_bits(__ldg(arguments.view.scores + index)), index);
}

/// Finds for each candidate the kept candidate that it joins: the highest ranked kept candidate
/// that outranks and suppresses it, or the candidate itself if it is kept. The result is kNone if
/// the candidate joins no kept candidate. Each thread handles one candidate.
template <class Overlap>
__global__ void __launch_bounds__(kJoinThreads) join_kernel(const VotingArguments arguments) {
  static_assert(kStaged == kJoinThreads);
  __shared__ Staged staged;
  const VotingScratch& scratch = arguments.scratch;
  const unsigned rank = blockIdx.x * kJoinThreads + threadIdx.x;
  const bool exists = rank < *scratch.count;
  if (__syncthreads_or(exists) == 0) return;
  const std::uint64_t key = exists ? scratch.keys[rank] : 0;
  const unsigned index = exists ? index_of(key) : 0;
  const Box box = exists ? compared_box(arguments, index) : as_box(empty_box());
  const float box_area = area(box);
  const unsigned kept = *arguments.kept;
  unsigned joined = kNone;
  bool looking = exists;
  for (unsigned first = 0; first < kept && __syncthreads_or(looking) != 0; first += kStaged) {
    stage(arguments, staged, first, kept);
    __syncthreads();
    for (unsigned k = first; k < min(kept, first + kStaged) && looking; ++k) {
      const unsigned at = k - first;
      const bool itself = staged.keys[at] == key;
      if (itself) scratch.rank_of[k] = rank;
      const bool wins =
          staged.keys[at] > key && Overlap::suppresses(staged.boxes[at], staged.areas[at], box,
                                                       box_area, arguments.threshold);
      if (itself || wins) joined = k;
      looking = staged.keys[at] > key && !wins;
    }
  }
  if (exists) scratch.joined[rank] = joined;
}

/// Adds up the boxes that joined a kept candidate, in rank order, and writes the moved box. Each
/// warp handles one kept candidate at a time, and all its lanes hold the same sums.
__global__ void __launch_bounds__(kJoinThreads) sum_kernel(const VotingArguments arguments) {
  const VotingScratch& scratch = arguments.scratch;
  const unsigned kept = *arguments.kept;
  const unsigned count = *scratch.count;
  const unsigned warps = gridDim.x * kJoinThreads / 32;
  for (unsigned k = blockIdx.x * kJoinThreads / 32 + warp_id(); k < kept; k += warps) {
    VoteSums sums;
    // A kept candidate outranks the candidates that joined it. So the search begins at its own
    // rank.
    for (unsigned first = scratch.rank_of[k]; first < count; first += 32) {
      const unsigned rank = first + lane_id();
      const bool votes = rank < count && scratch.joined[rank] == k;
      float4 box = empty_box();
      float score = 0;
      if (votes) {
        const unsigned index = index_of(scratch.keys[rank]);
        box = __ldg(arguments.view.boxes + index);
        score = __ldg(arguments.view.scores + index);
      }
      for (unsigned left = __ballot_sync(kAllLanes, votes); left != 0; left &= left - 1) {
        const int lane = __ffs(static_cast<int>(left)) - 1;
        const Box vote{__shfl_sync(kAllLanes, box.x, lane), __shfl_sync(kAllLanes, box.y, lane),
                       __shfl_sync(kAllLanes, box.z, lane), __shfl_sync(kAllLanes, box.w, lane)};
        add_vote(sums, vote, __shfl_sync(kAllLanes, score, lane));
      }
    }
    const Box moved = voted_box(sums, as_box(__ldg(arguments.view.boxes + arguments.indices[k])));
    if (lane_id() == 0) arguments.moved[k] = make_float4(moved.x1, moved.y1, moved.x2, moved.y2);
  }
}

}  // namespace

void launch_voting(const NmsOptions& options, const CandidateView& view,
                   const std::uint32_t* indices, const std::uint32_t* kept,
                   const VotingScratch& scratch, float4* moved, cudaStream_t stream) {
  launch_rank(view, nullptr, {nullptr, scratch.keys, scratch.count, nullptr}, stream);
  const VotingArguments arguments{view,
                                  indices,
                                  kept,
                                  scratch,
                                  options.threshold,
                                  options.matrix.squares,
                                  options.matrix.plus_one,
                                  moved};
  const unsigned blocks = (view.capacity + kJoinThreads - 1) / kJoinThreads;
  with_overlap(options.overlap, [&](auto overlap) {
    join_kernel<decltype(overlap)><<<blocks, kJoinThreads, 0, stream>>>(arguments);
  });
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
  const auto sms = static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
  sum_kernel<<<4 * sms, kJoinThreads, 0, stream>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::nms
