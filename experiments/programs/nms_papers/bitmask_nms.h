// Greedy suppression by a bit matrix on the device and its reduction on the host, as R-CNN's
// nms_kernel.cu does it (Ren 2015, by way of github.com/jwyang/faster-rcnn.pytorch): the baseline
// that detectors have used since.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/geometry.h"
#include "experiments/programs/nms_papers/bitmask_kernel.h"

namespace facepipe::nms_papers {

/// One suppression, in its steps; run() is all of them but rank(). As in the original:
///   * Candidates come to it ranked by score, on the host.
///   * 64 x 64 tiles, a block of 64 threads each, a thread a row; all tiles, those below the
///     diagonal too, of which the reduction reads nothing.
///   * The mask goes to ordinary memory of the host, which reduces it box after box and sends what
///     is kept back to the device.
/// Other than the original: memory is allocated once and not in each call; the overlap is that of
/// nms/predicate.h, without "+1 pixel" and without a division, and candidates that are none by
/// nms.h are left out by rank(), so that it keeps what greedy keeps, bit for bit.
class BitmaskNms {
 public:
  /// For up to `capacity` candidates, with capacity^2 / 8 bytes on the device and on the host.
  BitmaskNms(std::size_t capacity, float threshold);

  /// Takes candidates, in any order, and ranks them as nms.h has it. Host only. Throws
  /// std::invalid_argument where they are more than the capacity.
  void rank(std::span<const Box> boxes, std::span<const float> scores);
  void enqueue_upload(cuda::StreamView stream);
  void enqueue_kernel(cuda::StreamView stream);
  /// Copies the mask to the host; waits for the stream.
  void copy_mask(cuda::StreamView stream);
  /// Host only.
  void reduce();
  /// Copies what is kept, and how many, to the device; waits for the stream.
  void upload_kept(cuda::StreamView stream);

  void run(cuda::StreamView stream);

  /// Kept candidates' indices, in rank order, after reduce().
  [[nodiscard]] std::span<const std::uint32_t> kept() const noexcept { return kept_; }

 private:
  /// Words of 64 columns.
  [[nodiscard]] std::size_t words() const noexcept {
    return (ranked_.size() + kBitmaskTile - 1) / kBitmaskTile;
  }

  float threshold_;
  std::size_t capacity_;
  std::vector<std::uint32_t> order_;
  std::vector<RankedBox> ranked_;
  std::vector<std::uint64_t> mask_;  ///< a row of words() for each ranked candidate
  std::vector<std::uint64_t> removed_;
  std::vector<std::uint32_t> kept_;
  cuda::DeviceBuffer<RankedBox> device_ranked_;
  cuda::DeviceBuffer<std::uint64_t> device_mask_;
  cuda::DeviceBuffer<std::uint32_t> device_kept_;
  cuda::DeviceBuffer<std::uint32_t> device_count_;
};

}  // namespace facepipe::nms_papers
