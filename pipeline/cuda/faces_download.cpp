#include <algorithm>

#include "core/error.h"
#include "pipeline/cuda/faces.h"

namespace facepipe::pipeline {
namespace {

template <class T>
void copy_part(const cuda::PinnedBuffer<T>& to, const T* from, std::uint32_t first,
               std::uint32_t count, cuda::StreamView stream) {
  const std::span<T> target = to.span().subspan(first, count);
  cuda::copy(target, cuda::DeviceSpan<const T>{from + first, count}, stream);
}

std::uint32_t most_eager(FaceDownload wanted) {
  switch (wanted) {
    case FaceDownload::none:
      return 0;
    case FaceDownload::places:
      return FacesDownload::kEagerPlaces;
    case FaceDownload::all:
      return FacesDownload::kEager;
  }
  return 0;
}

}  // namespace

FacesDownload::FacesDownload(const FaceCounts* counts, const cuda::DeviceDetections& faces,
                             FaceDownload wanted)
    : counts_(counts),
      faces_(faces),
      eager_(std::min(faces.capacity, most_eager(wanted))),
      host_counts_(1),
      boxes_(wanted == FaceDownload::none ? 0 : faces.capacity),
      scores_(boxes_.size()),
      landmarks_(wanted == FaceDownload::all && faces.landmarks != nullptr ? boxes_.size() : 0),
      classes_(faces.classes != nullptr ? boxes_.size() : 0) {
  if (counts == nullptr) throw Error(ErrorKind::internal, "FacesDownload: counts is null");
  *host_counts_.data() = {};
}

void FacesDownload::enqueue(cuda::StreamView stream) {
  cuda::copy(host_counts_.span(), cuda::DeviceSpan<const FaceCounts>{counts_, 1}, stream);
  if (eager_ > 0) fetch(0, eager_, stream);
}

void FacesDownload::fetch(std::uint32_t first, std::uint32_t count, cuda::StreamView stream) {
  copy_part(boxes_, faces_.boxes, first, count, stream);
  copy_part(scores_, faces_.scores, first, count, stream);
  if (landmarks_.size() > 0) copy_part(landmarks_, faces_.landmarks, first, count, stream);
  if (classes_.size() > 0) copy_part(classes_, faces_.classes, first, count, stream);
}

Detections FacesDownload::collect(cuda::StreamView stream, CopyCounter& copies) {
  const auto count_copies = [&](std::uint32_t faces) {
    copies.add(CopyKind::faces, faces * sizeof(Box));
    copies.add(CopyKind::faces, faces * sizeof(float));
    if (landmarks_.size() > 0) copies.add(CopyKind::faces, faces * sizeof(Landmarks));
    if (classes_.size() > 0) copies.add(CopyKind::faces, faces * sizeof(std::uint16_t));
  };
  copies.add(CopyKind::counts, sizeof(FaceCounts));
  Detections found;
  if (boxes_.size() == 0) return found;
  count_copies(eager_);
  const std::uint32_t all = std::min(counts().faces, faces_.capacity);
  if (all > eager_) {
    fetch(eager_, all - eager_, stream);
    stream.synchronize();
    count_copies(all - eager_);
  }
  const auto part = [all](const auto& buffer) { return buffer.span().first(all); };
  found.boxes.assign(part(boxes_).begin(), part(boxes_).end());
  found.scores.assign(part(scores_).begin(), part(scores_).end());
  if (landmarks_.size() > 0)
    found.landmarks.assign(part(landmarks_).begin(), part(landmarks_).end());
  // As on the host, there are no classes if all faces are of class 0.
  if (classes_.size() > 0 && std::ranges::any_of(part(classes_), [](auto its) { return its > 0; }))
    found.classes.assign(part(classes_).begin(), part(classes_).end());
  return found;
}

}  // namespace facepipe::pipeline
