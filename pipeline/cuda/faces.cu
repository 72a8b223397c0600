#include <stdexcept>

#include "core/cuda/check.h"
#include "pipeline/cuda/faces.h"

namespace facepipe {
namespace {

constexpr unsigned kThreads = 1024;
constexpr unsigned kWarps = kThreads / 32;
constexpr unsigned kAllLanes = 0xffffffffU;

struct FacesWork {
  cuda::DeviceDetections candidates;
  DeviceKept kept;
  FaceSizes sizes;
  cuda::DeviceDetections faces;
  FaceCounts* counts;
};

__device__ unsigned warp_sum(unsigned value) {
#pragma unroll
  for (unsigned offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

/// Places of those that are wanted among the CTA's threads, in their order. Every thread calls it.
struct Place {
  unsigned before;  ///< wanted ones of the threads below
  unsigned all;
};
__device__ Place place_among(bool wanted, unsigned* warp_counts) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned votes = __ballot_sync(kAllLanes, wanted);
  if (lane == 0) warp_counts[warp] = __popc(votes);
  __syncthreads();
  const unsigned count = warp_counts[lane % kWarps];
  __syncthreads();  // the next round writes them again
  const unsigned below = warp_sum(lane < warp ? count : 0);
  return {below + __popc(votes & ((1U << lane) - 1)), warp_sum(count)};
}

__global__ void __launch_bounds__(kThreads) faces_kernel(const FacesWork work) {
  __shared__ unsigned warp_counts[kWarps];
  const unsigned kept = min(*work.kept.count, work.candidates.capacity);
  unsigned written = 0;
  for (unsigned first = 0; first < kept; first += kThreads) {
    const unsigned rank = first + threadIdx.x;
    Box box;
    unsigned index = 0;
    bool wanted = false;
    if (rank < kept) {
      index = work.kept.indices[rank];
      box = work.kept.boxes != nullptr ? work.kept.boxes[rank] : work.candidates.boxes[index];
      wanted = work.sizes.wanted(box);
    }
    const Place place = place_among(wanted, warp_counts);
    const unsigned to = written + place.before;
    if (wanted && to < work.faces.capacity) {
      work.faces.boxes[to] = box;
      work.faces.scores[to] =
          work.kept.scores != nullptr ? work.kept.scores[rank] : work.candidates.scores[index];
      if (work.faces.landmarks != nullptr)
        work.faces.landmarks[to] = work.candidates.landmarks[index];
    }
    written += place.all;
  }
  if (threadIdx.x != 0) return;
  *work.faces.count = written;
  *work.counts = {*work.candidates.count, *work.kept.count, *work.kept.beyond_capacity, written};
}

void launch_faces(const FacesWork& work, cudaStream_t stream) {
  faces_kernel<<<1, kThreads, 0, stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

bool is_whole(const cuda::DeviceDetections& detections) {
  return detections.boxes != nullptr && detections.scores != nullptr && detections.count != nullptr;
}

}  // namespace

void enqueue_faces(const cuda::DeviceDetections& candidates, const DeviceKept& kept,
                   const FaceSizes& sizes, const cuda::DeviceDetections& faces, FaceCounts* counts,
                   cuda::StreamView stream) {
  const bool has_landmarks = faces.landmarks == nullptr || candidates.landmarks != nullptr;
  if (!is_whole(candidates) || !is_whole(faces) || !has_landmarks || kept.indices == nullptr ||
      kept.count == nullptr || kept.beyond_capacity == nullptr || counts == nullptr)
    throw std::invalid_argument("enqueue_faces: an array is missing");
  launch_faces({candidates, kept, sizes, faces, counts}, stream.get());
}

}  // namespace facepipe
