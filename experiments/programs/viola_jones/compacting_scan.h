// The schedule of OpenCV's cascade on CUDA (cudalegacy's NCVHaarObjectDetection.cu), built anew as
// a peer: it is in no package any more.
//
// Scale after scale, a thread has a window for the first stages; those that pass are listed, the
// host reads how many, and launches just as many threads for the next stages. From the first stage
// of 64 stumps on, a block of 64 threads has a window. What OpenCV's own does besides and this one
// doesn't: a map of deviations (here each kernel computes those of its windows), a wait of the host
// more before each kernel, and the grouping.
#pragma once

#include <span>
#include <vector>

#include "experiments/programs/viola_jones/device_scan.h"

namespace facepipe::viola_jones {

/// Stages before which survivors are listed: the first is 0, the last one where blocks take over.
/// About every 7 stages, the last two stretches evened out by OpenCV's rule.
[[nodiscard]] std::vector<std::int32_t> stage_stops(std::span<const StageSpan> stages);

/// Reads memory of the scan's, which must outlive it. The host waits for the device again and
/// again, so no graph can hold it.
class CompactingScan {
 public:
  explicit CompactingScan(const DeviceScan& scan);

  /// All scales, after the scan's sums. What is found is the scan's.
  void run(cuda::StreamView stream);

 private:
  void run_scale(std::size_t scale, cuda::StreamView stream);
  /// Reads how many places the last kernel has listed, and takes that list for the next one's.
  [[nodiscard]] std::uint32_t take_list(cuda::StreamView stream);

  const DeviceScan* scan_;
  cuda::DeviceBuffer<std::uint32_t> places_[2];
  cuda::DeviceBuffer<std::uint32_t> count_;
  cuda::PinnedBuffer<std::uint32_t> host_count_;
  std::size_t next_ = 0;  ///< which places the next kernel writes
};

}  // namespace facepipe::viola_jones
