// Greedy suppression with a bit matrix on the device and its reduction on the host, like R-CNN's
// nms_kernel.cu (Ren 2015, by way of github.com/jwyang/faster-rcnn.pytorch). Detectors have used
// this baseline since.
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

/// One suppression, step by step; run() does all steps except rank(). These are as in the original:
///   * Candidates come ranked by score, on the host.
///   * Tiles are 64 x 64. A block of 64 threads has a tile, and a thread has a row. All tiles are
///     computed, also those below the diagonal, which the reduction doesn't read.
///   * The mask goes to ordinary memory of the host. The host reduces it box after box and sends
///     the kept candidates back to the device.
/// These differ from the original, which printed_bitmask.h has: memory is allocated once instead of
/// in each call. The overlap is that of nms/predicate.h, without "+1 pixel" and without a division.
/// rank() leaves out candidates that nms.h calls invalid. So it keeps what greedy keeps, bit for
/// bit.
class BitmaskNms {
 public:
  /// Makes room for `capacity` candidates, with capacity^2 / 8 bytes on the device and on the host.
  BitmaskNms(std::size_t capacity, float threshold);

  /// Takes candidates in any order and ranks them like nms.h. Runs only on the host. Throws
  /// std::invalid_argument if there are more than the capacity.
  void rank(std::span<const Box> boxes, std::span<const float> scores);
  void enqueue_upload(cuda::StreamView stream);
  void enqueue_kernel(cuda::StreamView stream);
  /// Copies the mask to the host, and waits for the stream.
  void copy_mask(cuda::StreamView stream);
  /// Runs only on the host.
  void reduce();
  /// Copies the kept candidates and their number to the device, and waits for the stream.
  void upload_kept(cuda::StreamView stream);

  void run(cuda::StreamView stream);

  /// Returns the indices of the kept candidates in rank order, after reduce().
  [[nodiscard]] std::span<const std::uint32_t> kept() const noexcept { return kept_; }

  /// Return the ranked candidates, and the number of words of 64 columns, after rank().
  [[nodiscard]] std::span<const RankedBox> ranked() const noexcept { return ranked_; }
  [[nodiscard]] std::size_t words() const noexcept { return words_of(ranked_.size()); }

 private:
  float threshold_;
  std::size_t capacity_;
  std::vector<std::uint32_t> order_;
  std::vector<RankedBox> ranked_;
  std::vector<std::uint64_t> mask_;  ///< words() words for each ranked candidate
  std::vector<std::uint64_t> removed_;
  std::vector<std::uint32_t> kept_;
  cuda::DeviceBuffer<RankedBox> device_ranked_;
  cuda::DeviceBuffer<std::uint64_t> device_mask_;
  cuda::DeviceBuffer<std::uint32_t> device_kept_;
  cuda::DeviceBuffer<std::uint32_t> device_count_;
};

}  // namespace facepipe::nms_papers
