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
/// not stored. Coordinates are as in Detections. Each member is a separate array or number.
struct DeviceDetections {
  Box* boxes = nullptr;  ///< aligned to 16 bytes, as cudaMalloc's memory is
  float* scores = nullptr;
  /// Null if there are none. Among entries that have landmarks, an entry without them has
  /// kNoLandmarks.
  Landmarks* landmarks = nullptr;
  std::uint32_t* count = nullptr;
  std::uint32_t capacity = 0;
  std::uint16_t* classes = nullptr;  ///< Detections::classes; null if all entries are of class 0
  /// The number of candidates that are missing although *count doesn't count them: a list from
  /// which this list was made had no room for them. Null means 0.
  std::uint32_t* lost = nullptr;
};

/// Says which arrays detections have besides boxes and scores.
struct DetectionFields {
  bool landmarks = true;
  bool classes = false;
};

/// Returns the optional arrays of `detections`.
[[nodiscard]] inline DetectionFields fields_of(const DeviceDetections& detections) {
  return {detections.landmarks != nullptr, detections.classes != nullptr};
}

/// Owns device memory for candidates or faces. Its count starts undefined; *lost starts as 0.
class DetectionBuffers {
 public:
  DetectionBuffers(std::uint32_t capacity, DetectionFields fields);
  explicit DetectionBuffers(std::uint32_t capacity, bool with_landmarks = true)
      : DetectionBuffers(capacity, DetectionFields{with_landmarks, false}) {}
  [[nodiscard]] DeviceDetections view() const;
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }

 private:
  std::uint32_t capacity_;
  DeviceBuffer<Box> boxes_;
  DeviceBuffer<float> scores_;
  DeviceBuffer<Landmarks> landmarks_;
  DeviceBuffer<std::uint16_t> classes_;
  DeviceBuffer<std::uint32_t> counts_;  ///< count and lost
};

/// Sets the count, and the number of lost candidates, to 0. Capture-safe.
inline void clear(const DeviceDetections& detections, StreamView stream) {
  fill(DeviceSpan<std::uint32_t>{detections.count, 1}, 0, stream);
  if (detections.lost != nullptr) fill(DeviceSpan<std::uint32_t>{detections.lost, 1}, 0, stream);
}

/// Copies the used entries to the host, with all their arrays. It waits for `stream`, so it is for
/// tests and trials, not for the frame loop.
[[nodiscard]] Detections download(const DeviceDetections& from, StreamView stream);

}  // namespace facepipe::cuda
