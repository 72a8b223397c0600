// One picture on several devices of this process, a thread each.
#pragma once

#include <vector>

#include "experiments/programs/viola_jones/deals.h"
#include "experiments/programs/viola_jones/part_scan.h"

namespace facepipe::viola_jones {

struct SharedTimes {
  std::vector<float> frames;  ///< microseconds, until the host has all windows together
  std::vector<std::vector<float>> devices;  ///< of each device alone, by its own events
  std::vector<FoundWindow> windows;         ///< of the last frame, sorted
};

/// Each frame is dealt over the first devices, as many as the deal has; the next one begins when
/// its windows are gathered. Throws what a device's thread threw.
[[nodiscard]] SharedTimes time_shared_frames(const Job& job, const Deal& deal, int frames);

/// Microseconds from frame to frame where each device scans whole frames of its own, `frames` each.
[[nodiscard]] double time_whole_frames(const Job& job, std::size_t devices, int frames);

}  // namespace facepipe::viola_jones
