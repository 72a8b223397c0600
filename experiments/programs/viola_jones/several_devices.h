// Scans one picture on several devices of this process, with a thread for each.
#pragma once

#include <vector>

#include "experiments/programs/viola_jones/deals.h"
#include "experiments/programs/viola_jones/part_scan.h"

namespace facepipe::viola_jones {

struct SharedTimes {
  std::vector<float> frames;  ///< microseconds until the host has collected all windows
  std::vector<std::vector<float>> devices;  ///< each device's own times, by its events
  std::vector<FoundWindow> windows;         ///< of the last frame, sorted
};

/// Deals each frame over the first devices, as many as the deal has. The next frame begins when the
/// windows of this one are collected. Throws what a device's thread threw.
[[nodiscard]] SharedTimes time_shared_frames(const Job& job, const Deal& deal, int frames);

/// Returns the microseconds from frame to frame if each device scans `frames` whole frames of its
/// own.
[[nodiscard]] double time_whole_frames(const Job& job, std::size_t devices, int frames);

}  // namespace facepipe::viola_jones
