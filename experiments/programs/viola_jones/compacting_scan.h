// Rebuilds the schedule of OpenCV's cascade on CUDA (cudalegacy's NCVHaarObjectDetection.cu) for
// comparison, because no package contains it any more.
//
// The scan processes one scale after the other. In the first stages, each thread has a window.
// Kernels list the windows that pass. The host reads their number, and launches as many threads for
// the next stages. From the first stage with 64 stumps on, a block of 64 threads has a window.
// OpenCV's own code differs in three ways: it makes a map of deviations (here each kernel computes
// those of its windows), its host waits once more before each kernel, and it groups windows.
#pragma once

#include <span>
#include <vector>

#include "experiments/programs/viola_jones/device_scan.h"

namespace facepipe::viola_jones {

/// Returns the first stage of each launch. The first value is 0. The last value is the stage from
/// which on a block has a window. There are about 7 stages between two values; by OpenCV's rule,
/// the last two distances are made about equal.
[[nodiscard]] std::vector<std::int32_t> stage_stops(std::span<const StageSpan> stages);

/// Uses the scan's memory; the scan must outlive this object. The host waits for the device several
/// times, so a graph can't contain this work.
class CompactingScan {
 public:
  explicit CompactingScan(const DeviceScan& scan);

  /// Searches all scales. The scan's sums must be computed before. The scan gets the found windows.
  void run(cuda::StreamView stream);

 private:
  void run_scale(std::size_t scale, cuda::StreamView stream);
  /// Reads the number of places that the last kernel has listed. The next kernel then reads this
  /// list.
  [[nodiscard]] std::uint32_t take_list(cuda::StreamView stream);

  const DeviceScan* scan_;
  cuda::DeviceBuffer<std::uint32_t> places_[2];
  cuda::DeviceBuffer<std::uint32_t> count_;
  cuda::PinnedBuffer<std::uint32_t> host_count_;
  std::size_t next_ = 0;  ///< index of the list that the next kernel writes
};

}  // namespace facepipe::viola_jones
