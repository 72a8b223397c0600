// Rebuilds the schedule of OpenCV's cascade on CUDA (cudalegacy's NCVHaarObjectDetection.cu) to
// compare with, because no package contains it any more.
//
// It goes scale after scale. For the first stages, each thread has a window. Windows that pass are
// listed; the host reads how many, and launches just as many threads for the next stages. From the
// first stage with 64 stumps on, a block of 64 threads has a window. OpenCV's own code also makes a
// map of deviations (here each kernel computes those of its windows), lets the host wait once more
// before each kernel, and groups windows.
#pragma once

#include <span>
#include <vector>

#include "experiments/programs/viola_jones/device_scan.h"

namespace facepipe::viola_jones {

/// Returns the stages before which the remaining windows are listed: the first is 0, and the last
/// is where blocks take over. There are about 7 stages in between; OpenCV's rule evens out the last
/// two distances.
[[nodiscard]] std::vector<std::int32_t> stage_stops(std::span<const StageSpan> stages);

/// Reads the scan's memory, which must outlive it. The host waits for the device again and again,
/// so no graph can hold it.
class CompactingScan {
 public:
  explicit CompactingScan(const DeviceScan& scan);

  /// Runs all scales after the scan's sums. The scan holds the windows found.
  void run(cuda::StreamView stream);

 private:
  void run_scale(std::size_t scale, cuda::StreamView stream);
  /// Reads how many places the last kernel has listed, and takes that list for the next kernel.
  [[nodiscard]] std::uint32_t take_list(cuda::StreamView stream);

  const DeviceScan* scan_;
  cuda::DeviceBuffer<std::uint32_t> places_[2];
  cuda::DeviceBuffer<std::uint32_t> count_;
  cuda::PinnedBuffer<std::uint32_t> host_count_;
  std::size_t next_ = 0;  ///< the list that the next kernel writes
};

}  // namespace facepipe::viola_jones
