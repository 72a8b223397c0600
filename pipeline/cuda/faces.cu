#include "core/cuda/check.h"
#include "core/error.h"
#include "pipeline/cuda/faces.h"

namespace facepipe::pipeline {
namespace {

constexpr unsigned kThreads = 1024;
constexpr unsigned kWarps = kThreads / 32;
constexpr unsigned kAllLanes = 0xffffffffU;

struct FacesWork {
  cuda::DeviceDetections candidates;
  nms::DeviceKept kept;
  FaceSizes sizes;
  cuda::DeviceDetections faces;
  FaceCounts* counts;

  /// Returns the number of candidates that suppression didn't see, because their array is full. If
  /// there is one class, suppression counts them itself.
  [[nodiscard]] __device__ std::uint32_t unread() const {
    const std::uint32_t count = *candidates.count;
    return candidates.classes != nullptr && count > candidates.capacity
               ? count - candidates.capacity
               : 0;
  }
};

__device__ unsigned warp_sum(unsigned value) {
#pragma unroll
  for (unsigned offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

/// The result of place_among() for a thread of the CTA.
struct Place {
  unsigned before;  ///< number of threads with a lower index whose `wanted` is true
  unsigned all;     ///< number of threads of the CTA whose `wanted` is true
};
/// Counts the threads whose `wanted` is true. All threads of the CTA must call it. `warp_counts`
/// has kWarps elements in shared memory.
__device__ Place place_among(bool wanted, unsigned* warp_counts) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned votes = __ballot_sync(kAllLanes, wanted);
  if (lane == 0) warp_counts[warp] = __popc(votes);
  __syncthreads();
  const unsigned count = warp_counts[lane % kWarps];
  __syncthreads();  // because the next call writes to warp_counts
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
      if (work.faces.classes != nullptr) work.faces.classes[to] = work.candidates.classes[index];
    }
    written += place.all;
  }
  if (threadIdx.x != 0) return;
  *work.faces.count = written;
  const std::uint32_t lost = work.candidates.lost != nullptr ? *work.candidates.lost : 0;
  *work.counts = {*work.candidates.count + lost, *work.kept.count,
                  *work.kept.beyond_capacity + work.unread() + lost, written};
}

struct OverWork {
  cuda::DeviceDetections candidates;
  const float* scores;  // one for each class
  cuda::DeviceDetections over;

  [[nodiscard]] __device__ unsigned class_of(unsigned i) const {
    return candidates.classes != nullptr ? candidates.classes[i] : 0;
  }
};

__global__ void __launch_bounds__(kThreads) scored_over_kernel(const OverWork work) {
  __shared__ unsigned warp_counts[kWarps];
  const unsigned all = min(*work.candidates.count, work.candidates.capacity);
  unsigned written = 0;
  for (unsigned first = 0; first < all; first += kThreads) {
    const unsigned i = first + threadIdx.x;
    const bool wanted = i < all && work.candidates.scores[i] > work.scores[work.class_of(i)];
    const Place place = place_among(wanted, warp_counts);
    const unsigned to = written + place.before;
    if (wanted) {
      work.over.boxes[to] = work.candidates.boxes[i];
      work.over.scores[to] = work.candidates.scores[i];
      if (work.over.landmarks != nullptr) work.over.landmarks[to] = work.candidates.landmarks[i];
      if (work.over.classes != nullptr) work.over.classes[to] = work.candidates.classes[i];
    }
    written += place.all;
  }
  if (threadIdx.x != 0) return;
  *work.over.count = written;
  if (work.over.lost == nullptr) return;
  const std::uint32_t lost = work.candidates.lost != nullptr ? *work.candidates.lost : 0;
  *work.over.lost = lost + (*work.candidates.count - all);
}

void launch_scored_over(const OverWork& work, cudaStream_t stream) {
  scored_over_kernel<<<1, kThreads, 0, stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_faces(const FacesWork& work, cudaStream_t stream) {
  faces_kernel<<<1, kThreads, 0, stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

bool is_whole(const cuda::DeviceDetections& detections) {
  return detections.boxes != nullptr && detections.scores != nullptr && detections.count != nullptr;
}

/// Returns false if landmarks or classes would be copied from `from` to `to`, but `from` has none.
bool has_fields_for(const cuda::DeviceDetections& from, const cuda::DeviceDetections& to) {
  return (to.landmarks == nullptr || from.landmarks != nullptr) &&
         (to.classes == nullptr || from.classes != nullptr);
}

}  // namespace

void enqueue_scored_over(const cuda::DeviceDetections& candidates, const float* scores,
                         const cuda::DeviceDetections& over, cuda::StreamView stream) {
  if (!is_whole(candidates) || !is_whole(over) || !has_fields_for(candidates, over) ||
      scores == nullptr)
    throw Error(ErrorKind::internal, "enqueue_scored_over: an array is missing");
  if (over.capacity < candidates.capacity)
    throw Error(ErrorKind::internal, "enqueue_scored_over: the capacity is too small");
  launch_scored_over({candidates, scores, over}, stream.get());
}

void enqueue_faces(const cuda::DeviceDetections& candidates, const nms::DeviceKept& kept,
                   const FaceSizes& sizes, const cuda::DeviceDetections& faces, FaceCounts* counts,
                   cuda::StreamView stream) {
  if (!is_whole(candidates) || !is_whole(faces) || !has_fields_for(candidates, faces) ||
      kept.indices == nullptr || kept.count == nullptr || kept.beyond_capacity == nullptr ||
      counts == nullptr)
    throw Error(ErrorKind::internal, "enqueue_faces: an array is missing");
  launch_faces({candidates, kept, sizes, faces, counts}, stream.get());
}

}  // namespace facepipe::pipeline
