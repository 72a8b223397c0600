#include "nms/cuda/classes.h"

#include "core/cuda/check.h"
#include "nms/cuda/device.cuh"

namespace facepipe::nms {
namespace {

constexpr unsigned kPartThreads = 1024;
constexpr unsigned kPartWarps = kPartThreads / 32;
constexpr unsigned kUniteThreads = 256;
/// Blocks of the kernels that go through kept candidates, of which there are usually a few hundred.
constexpr unsigned kUniteBlocks = 16;

/// Returns the number of threads before this one whose `wanted` is true. Sets *all to their number
/// in the whole block. All threads of the block must call it. `counts` has kPartWarps elements in
/// shared memory.
__device__ __forceinline__ unsigned wanted_before(bool wanted, unsigned* counts, unsigned* all) {
  const unsigned votes = __ballot_sync(kAllLanes, wanted);
  if (lane_id() == 0) counts[warp_id()] = static_cast<unsigned>(__popc(votes));
  __syncthreads();
  const unsigned count = counts[lane_id() % kPartWarps];
  __syncthreads();  // because the next call writes to `counts`
  *all = warp_sum(count);
  return warp_sum(lane_id() < warp_id() ? count : 0) +
         static_cast<unsigned>(__popc(votes & lanes_below()));
}

/// Only one block runs, so that the candidates keep their order.
__global__ void __launch_bounds__(kPartThreads)
    part_kernel(const __grid_constant__ ClassWork work, std::uint16_t its_class) {
  static_assert(kPartWarps == 32, "a warp reads all counts");
  __shared__ unsigned counts[kPartWarps];
  const unsigned n = min(*work.all.count, work.all.capacity);
  unsigned found = 0;
  for (unsigned first = 0; first < n; first += kPartThreads) {
    const unsigned i = first + threadIdx.x;
    const bool wanted = i < n && work.classes[i] == its_class;
    unsigned all = 0;
    const unsigned to = found + wanted_before(wanted, counts, &all);
    if (wanted && to < work.each) {
      work.boxes[to] = work.all.boxes[i];
      work.scores[to] = work.all.scores[i];
      work.places[to] = i;
    }
    found += all;
  }
  if (threadIdx.x == 0) *work.count = found;
}

/// The kernels of other classes run before or after this one, so no other thread adds to
/// *all_beyond_capacity.
__global__ void __launch_bounds__(kUniteThreads)
    unite_kernel(const __grid_constant__ ClassWork work) {
  const unsigned kept = *work.kept_count;
  const unsigned first = blockIdx.x * kUniteThreads + threadIdx.x;
  for (unsigned rank = first; rank < kept; rank += kUniteBlocks * kUniteThreads) {
    const std::uint32_t place = work.places[work.kept[rank]];
    work.chosen[place] = 1;
    if (work.moved_boxes != nullptr) work.moved_boxes[place] = work.kept_boxes[rank];
    if (work.new_scores != nullptr) work.new_scores[place] = work.kept_scores[rank];
  }
  if (first == 0) *work.all_beyond_capacity += *work.beyond_capacity;
}

__global__ void __launch_bounds__(kUniteThreads)
    rank_values_kernel(const __grid_constant__ ClassWork work) {
  const unsigned kept = *work.ranked_count;
  const unsigned first = blockIdx.x * kUniteThreads + threadIdx.x;
  for (unsigned rank = first; rank < kept; rank += kUniteBlocks * kUniteThreads) {
    const std::uint32_t place = work.ranked[rank];
    if (work.ranked_boxes != nullptr) work.ranked_boxes[rank] = work.moved_boxes[place];
    if (work.ranked_scores != nullptr) work.ranked_scores[rank] = work.new_scores[place];
  }
}

}  // namespace

void launch_forget_kept(const ClassWork& work, cudaStream_t stream) {
  FACEPIPE_CUDA_CHECK(cudaMemsetAsync(work.chosen, 0, work.all.capacity, stream));
  FACEPIPE_CUDA_CHECK(
      cudaMemsetAsync(work.all_beyond_capacity, 0, sizeof(*work.all_beyond_capacity), stream));
}

void launch_part(const ClassWork& work, std::uint16_t its_class, cudaStream_t stream) {
  part_kernel<<<1, kPartThreads, 0, stream>>>(work, its_class);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_unite(const ClassWork& work, cudaStream_t stream) {
  unite_kernel<<<kUniteBlocks, kUniteThreads, 0, stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_rank_values(const ClassWork& work, cudaStream_t stream) {
  if (work.ranked_boxes == nullptr && work.ranked_scores == nullptr) return;
  rank_values_kernel<<<kUniteBlocks, kUniteThreads, 0, stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::nms
