#include "core/cuda/detections.h"

#include <algorithm>
#include <span>

#include "core/cuda/buffer.h"

namespace facepipe::cuda {

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
       stream);  // nothing where there are none
  stream.synchronize();
  return found;
}

}  // namespace facepipe::cuda
