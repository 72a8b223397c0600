// Holds candidates or faces in device memory: a structure of arrays and their count.
#pragma once

#include <cstdint>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/detections.h"
#include "core/geometry.h"

namespace facepipe::cuda {

/// Refers to candidates or faces. Each array has `capacity` entries; the first min(*count,
/// capacity) are used. If *count is greater than `capacity`, the candidates beyond `capacity` were
/// not stored. Coordinates are as in Detections.
struct DeviceDetections {
  Box* boxes = nullptr;  ///< aligned to 16 bytes, as cudaMalloc's memory is
  float* scores = nullptr;
  Landmarks* landmarks = nullptr;  ///< null if there are none
  std::uint32_t* count = nullptr;
  std::uint32_t capacity = 0;
};

/// Owns device memory for candidates or faces. Its count starts undefined.
class DetectionBuffers {
 public:
  explicit DetectionBuffers(std::uint32_t capacity, bool with_landmarks = true);
  [[nodiscard]] DeviceDetections view() const;
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }

 private:
  std::uint32_t capacity_;
  DeviceBuffer<Box> boxes_;
  DeviceBuffer<float> scores_;
  DeviceBuffer<Landmarks> landmarks_;
  DeviceBuffer<std::uint32_t> count_;
};

/// Sets the count to 0. Capture-safe.
inline void clear(const DeviceDetections& detections, StreamView stream) {
  fill(DeviceSpan<std::uint32_t>{detections.count, 1}, 0, stream);
}

/// Copies the used entries to the host. It waits for `stream`, so it is for tests and trials, not
/// for the frame loop.
[[nodiscard]] Detections download(const DeviceDetections& from, StreamView stream);

}  // namespace facepipe::cuda
