// From the windows that pass to scores. The same for all devices.
#pragma once

#include <cstdint>

#include "core/host_device.h"

namespace facepipe::detector::cascade {

/// Of a frame, that scores are made of; more is an error. Bounds time and memory of what follows:
/// of faces there are a few thousand in the worst crowd.
inline constexpr std::uint32_t kMostWindows = 65536;

/// a / (a + 3), of what nms::measure_agreement() tells of a window: above 0.5 where more than 3
/// windows agree, as many as OpenCV's groups need with its usual minNeighbors of 3.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float agreement_score(float agreement) {
  constexpr float kNeighbors = 3;
  return agreement / (agreement + kNeighbors);
}

}  // namespace facepipe::detector::cascade
