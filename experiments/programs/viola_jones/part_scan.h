// Scans one device's part of a picture with dynamic warps. The paper distributes a picture over
// several devices in this way.
#pragma once

#include <cstdint>
#include <vector>

#include "experiments/programs/viola_jones/device_scan.h"
#include "experiments/programs/viola_jones/job.h"
#include "experiments/programs/viola_jones/scales.h"

namespace facepipe::viola_jones {

/// The number of windows that a device can keep.
inline constexpr std::uint32_t kWindows = 4096;

/// Returns a scan of these scales. Its pinned memory contains the picture.
[[nodiscard]] DeviceScan scan_of(const Job& job, std::vector<Scale> scales,
                                 DeviceScan::Sums sums = DeviceScan::Sums::as_they_are);

/// Returns a scan of the paper's scales, or of scales with another ratio.
[[nodiscard]] DeviceScan scan_of(const Job& job, double ratio = kRatio);

/// Holds a graph that copies the picture to the device, computes sums, scans the parts' scales, and
/// copies windows to the host. The graph runs on the device that was current at construction.
class PartScan {
 public:
  PartScan(const Job& job, const std::vector<Part>& parts);

  /// Runs the graph and waits. Returns the microseconds between the events before and after the
  /// graph.
  float run();
  /// Returns the windows of the last run.
  [[nodiscard]] std::vector<FoundWindow> windows() const { return scan_.windows(); }

 private:
  cuda::Stream stream_;
  DeviceScan scan_;
  cuda::GraphExec graph_;
  cuda::Event begin_;
  cuda::Event end_;
};

/// Returns the microseconds of each scale's kernel on the current device. Each is the median of
/// `replays` launches.
[[nodiscard]] std::vector<double> work_of_scales(const Job& job, int replays);

}  // namespace facepipe::viola_jones
