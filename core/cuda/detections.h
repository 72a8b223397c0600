// Candidates or faces in device memory: a structure of arrays and a count that lives there too.
#pragma once

#include <cstdint>

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

/// Those that there was room for, on the host. Waits for `stream`: for tests and trials, not for
/// the frame loop.
[[nodiscard]] Detections download(const DeviceDetections& from, StreamView stream);

}  // namespace facepipe::cuda
