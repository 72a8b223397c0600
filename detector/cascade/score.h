// Computes the scores of windows that pass, in the same way on all devices.
#pragma once

#include <cstdint>

#include "core/host_device.h"

namespace facepipe::detector::cascade {

/// Scores are made from at most this many windows of a frame; more are an error. This limits the
/// time and the memory of the following steps. The largest crowds have a few thousand faces.
inline constexpr std::uint32_t kMostWindows = 65536;

/// Returns a / (a + 3), where a is the window's nms::measure_agreement(). The score is above 0.5 if
/// more than 3 windows agree. With the usual minNeighbors of 3, OpenCV's groups need the same
/// number of windows.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float agreement_score(float agreement) {
  constexpr float kNeighbors = 3;
  return agreement / (agreement + kNeighbors);
}

}  // namespace facepipe::detector::cascade
