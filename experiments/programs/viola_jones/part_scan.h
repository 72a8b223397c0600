// One device's part of a picture's scan, by dynamic warps, as the paper gives it to several
// devices.
#pragma once

#include <cstdint>
#include <vector>

#include "experiments/programs/viola_jones/device_scan.h"
#include "experiments/programs/viola_jones/job.h"
#include "experiments/programs/viola_jones/scales.h"

namespace facepipe::viola_jones {

/// Room for windows that a device finds.
inline constexpr std::uint32_t kWindows = 4096;

/// At the paper's scales, the picture in its pinned memory.
[[nodiscard]] DeviceScan scan_of(const Job& job);

/// A graph: picture to the device, sums, the parts' scales, windows to the host. The current
/// device's at construction, and where it runs.
class PartScan {
 public:
  PartScan(const Job& job, const std::vector<Part>& parts);

  /// Runs it and waits. Microseconds between events before and after it.
  float run();
  /// Of the last run.
  [[nodiscard]] std::vector<FoundWindow> windows() const { return scan_.windows(); }

 private:
  cuda::Stream stream_;
  DeviceScan scan_;
  cuda::GraphExec graph_;
  cuda::Event begin_;
  cuda::Event end_;
};

/// Microseconds of each scale's kernel alone, on the current device: medians of so many launches.
[[nodiscard]] std::vector<double> work_of_scales(const Job& job, int replays);

}  // namespace facepipe::viola_jones
