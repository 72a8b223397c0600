#include "nms/cuda/rank.h"

#include "core/cuda/check.h"
#include "nms/cuda/device.cuh"
#include "nms/cuda/ranking.cuh"

namespace facepipe::nms {
namespace {

constexpr unsigned kPart = 128;  // number of candidates of a block

struct Shared {
  std::uint64_t keys[2 * kPart];
  std::uint64_t spare[kPart];
  unsigned counts[kPart + 1];
  unsigned size;
};

/// Returns the key of candidate i, or 0 if the candidate is invalid or not chosen.
__device__ __forceinline__ std::uint64_t chosen_key(const CandidateView& view,
                                                    const std::uint8_t* chosen, unsigned i) {
  if (chosen != nullptr && chosen[i] == 0) return 0;
  const float score = __ldg(view.scores + i);
  return valid(__ldg(view.boxes + i), score) ? key_of(ordered_bits(score), i) : 0;
}

// See Note [Ranking].
__global__ void __launch_bounds__(kThreads)
    rank_kernel(const CandidateView view, const std::uint8_t* chosen, const RankOutput output) {
  __shared__ Shared shared;
  const std::uint32_t count = __ldg(view.count);
  const unsigned n = min(count, view.capacity);
  if (blockIdx.x * kPart >= n && blockIdx.x != 0) return;
  if (threadIdx.x == 0) shared.size = 0;
  if (threadIdx.x <= kPart) shared.counts[threadIdx.x] = 0;
  __syncthreads();
  const unsigned mine = blockIdx.x * kPart + threadIdx.x;
  if (threadIdx.x < kPart && mine < n)
    if (const std::uint64_t key = chosen_key(view, chosen, mine); key != 0)
      shared.spare[atomicAdd(&shared.size, 1U)] = key;
  __syncthreads();
  const BlockRanking own{shared.keys, shared.counts, shared.spare, shared.size};
  sort_own(own);
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < n; i += kThreads)
    if (const std::uint64_t key = chosen_key(view, chosen, i); key != 0) count_among(own, key);
  __syncthreads();
  if (warp_id() != 0) return;
  const unsigned all = write_own(own, [&](unsigned position, std::uint64_t key) {
    if (output.indices != nullptr) output.indices[position] = index_of(key);
    if (output.keys != nullptr) output.keys[position] = key;
  });
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  *output.count = all;
  if (output.beyond_capacity != nullptr) *output.beyond_capacity = count - n;
}

}  // namespace

void launch_rank(const CandidateView& view, const std::uint8_t* chosen, const RankOutput& output,
                 cudaStream_t stream) {
  rank_kernel<<<(view.capacity + kPart - 1) / kPart, kThreads, 0, stream>>>(view, chosen, output);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::nms
