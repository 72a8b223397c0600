// Scans one picture on several devices of this process, with a thread for each device.
#pragma once

#include <vector>

#include "experiments/programs/viola_jones/deals.h"
#include "experiments/programs/viola_jones/part_scan.h"

namespace facepipe::viola_jones {

struct SharedTimes {
  std::vector<float> frames;                ///< microseconds until the host has all windows
  std::vector<std::vector<float>> devices;  ///< times of each device, measured with its events
  std::vector<FoundWindow> windows;         ///< windows of the last frame, sorted
};

/// Distributes each frame over the first devices, as many as `deal` has. The next frame begins when
/// the host has the windows of the frame before. Throws the error of a device's thread.
[[nodiscard]] SharedTimes time_shared_frames(const Job& job, const Deal& deal, int frames);

/// Returns the microseconds from frame to frame if each device scans `frames` whole frames alone.
[[nodiscard]] double time_whole_frames(const Job& job, std::size_t devices, int frames);

}  // namespace facepipe::viola_jones
