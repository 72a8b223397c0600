// Candidates or faces in device memory: a structure of arrays and a count that lives there too.
#pragma once

#include <cstdint>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/detections.h"
#include "core/geometry.h"

namespace facepipe::cuda {

/// A view. Each array holds `capacity` entries, of which the first min(*count, capacity) count;
/// *count may be greater, so that what there was no room for is known. Coordinates as in
/// Detections.
struct DeviceDetections {
  Box* boxes = nullptr;  ///< aligned to 16 bytes, as cudaMalloc's memory is
  float* scores = nullptr;
  Landmarks* landmarks = nullptr;  ///< null: there are none
  std::uint32_t* count = nullptr;
  std::uint32_t capacity = 0;
};

/// Device memory for candidates or faces. Its count starts undefined.
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

/// Sets the count to 0; capture-safe.
inline void clear(const DeviceDetections& detections, StreamView stream) {
  fill(DeviceSpan<std::uint32_t>{detections.count, 1}, 0, stream);
}

/// Those that there was room for, on the host. Waits for `stream`: for tests and trials, not for
/// the frame loop.
[[nodiscard]] Detections download(const DeviceDetections& from, StreamView stream);

}  // namespace facepipe::cuda
