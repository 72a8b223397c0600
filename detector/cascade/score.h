// This header turns windows that pass into scores, in the same way on all devices.
#pragma once

#include <cstdint>

#include "core/host_device.h"

namespace facepipe::detector::cascade {

/// Most windows of a frame from which scores are made; more are an error. This bounds the time and
/// memory of what follows. The worst crowd has a few thousand faces.
inline constexpr std::uint32_t kMostWindows = 65536;

/// Returns a / (a + 3), where a is what nms::measure_agreement() tells about a window. The score is
/// above 0.5 if more than 3 windows agree. OpenCV's groups need as many with its usual minNeighbors
/// of 3.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float agreement_score(float agreement) {
  constexpr float kNeighbors = 3;
  return agreement / (agreement + kNeighbors);
}

}  // namespace facepipe::detector::cascade
