// The papers' map and reduce in one kernel, whose blocks wait for each other between the two steps.
// Oro et al. 2020 leave this "thread group synchronization in the reduction kernel grid" to future
// work.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "nms/cuda/suppressor.h"
#include "nms/nms.h"

namespace facepipe::nms_papers {

/// Does the work of the map and the reduce kernel of the rule `matrix` in one cooperative launch,
/// with the same two steps (nms/cuda/matrix_steps.cuh). A block has D_max / k threads in both
/// steps. There are as many blocks as the device can run at the same time.
class GridMatrix {
 public:
  /// Throws Error(usage) like check_nms_options(), and if D_max / k isn't a multiple of 32, the
  /// threads of a warp.
  explicit GridMatrix(const nms::NmsOptions& options,
                      std::uint32_t multiprocessors = nms::kAllMultiprocessors);

  /// Enqueues the kernel. The call can be captured. The arrays of `candidates` must have d_max
  /// elements.
  void enqueue(const nms::DeviceCandidates& candidates, cuda::StreamView stream);

  /// Waits for the stream. Returns which of the first `count` candidates survive. The last launch
  /// must have had `count` candidates.
  [[nodiscard]] std::vector<std::uint32_t> kept(std::uint32_t count, cuda::StreamView stream) const;

 private:
  nms::NmsOptions options_;
  std::uint32_t blocks_ = 0;
  std::uint32_t threads_ = 0;
  std::uint32_t phase_bits_ = 0;
  cuda::DeviceBuffer<std::uint8_t> matrix_;
  cuda::DeviceBuffer<std::uint8_t> survives_;
  cuda::DeviceBuffer<std::uint32_t> barrier_;
};

}  // namespace facepipe::nms_papers
