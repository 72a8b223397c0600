#include "core/cuda/detections.h"

#include <algorithm>
#include <span>

namespace facepipe::cuda {

DetectionBuffers::DetectionBuffers(std::uint32_t capacity, bool with_landmarks)
    : capacity_(capacity),
      boxes_(capacity),
      scores_(capacity),
      landmarks_(with_landmarks ? capacity : 0),
      count_(1) {}

DeviceDetections DetectionBuffers::view() const {
  return {boxes_.data(), scores_.data(), landmarks_.data(), count_.data(), capacity_};
}

Detections download(const DeviceDetections& from, StreamView stream) {
  std::uint32_t count = 0;
  copy(std::span<std::uint32_t>(&count, 1), DeviceSpan<const std::uint32_t>{from.count, 1}, stream);
  stream.synchronize();
  count = std::min(count, from.capacity);
  Detections found;
  found.boxes.resize(count);
  found.scores.resize(count);
  if (from.landmarks != nullptr) found.landmarks.resize(count);
  copy(std::span<Box>(found.boxes), DeviceSpan<const Box>{from.boxes, count}, stream);
  copy(std::span<float>(found.scores), DeviceSpan<const float>{from.scores, count}, stream);
  copy(std::span<Landmarks>(found.landmarks), DeviceSpan<const Landmarks>{from.landmarks, count},
       stream);  // copies nothing if there are none
  stream.synchronize();
  return found;
}

}  // namespace facepipe::cuda
