#include "core/cuda/detections.h"

#include <algorithm>
#include <span>

namespace facepipe::cuda {

DetectionBuffers::DetectionBuffers(std::uint32_t capacity, DetectionFields fields)
    : capacity_(capacity),
      boxes_(capacity),
      scores_(capacity),
      landmarks_(fields.landmarks ? capacity : 0),
      classes_(fields.classes ? capacity : 0),
      counts_(2) {
  const Stream stream;
  fill(counts_.span(), 0, stream);
  stream.synchronize();
}

DeviceDetections DetectionBuffers::view() const {
  return {boxes_.data(), scores_.data(),  landmarks_.data(), counts_.data(),
          capacity_,     classes_.data(), counts_.data() + 1};
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
  if (from.classes != nullptr) found.classes.resize(count);
  copy(std::span<Box>(found.boxes), DeviceSpan<const Box>{from.boxes, count}, stream);
  copy(std::span<float>(found.scores), DeviceSpan<const float>{from.scores, count}, stream);
  copy(std::span<Landmarks>(found.landmarks), DeviceSpan<const Landmarks>{from.landmarks, count},
       stream);  // copies nothing if there are none, as the next line
  copy(std::span<std::uint16_t>(found.classes),
       DeviceSpan<const std::uint16_t>{from.classes, count}, stream);
  stream.synchronize();
  return found;
}

}  // namespace facepipe::cuda
