// Greedy suppression with a bit matrix, which the device computes and the host reduces, like
// R-CNN's nms_kernel.cu (Ren 2015, in the version of github.com/jwyang/faster-rcnn.pytorch).
// Detectors have used this baseline since then.
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

/// One suppression, step by step. run() does all steps except rank(). These properties are as in
/// the original:
///   * Candidates are ranked by score, on the host.
///   * Tiles are 64 x 64. A block of 64 threads has a tile, and a thread has a row. All tiles are
///     computed, even those below the diagonal, which the reduction doesn't read.
///   * The mask is copied to pageable memory of the host. The host reduces it box by box, and
///     copies the kept candidates back to the device.
/// Two things differ from the original, which printed_bitmask.h has. Memory is allocated once, not
/// in each call. The overlap is that of nms/predicate.h, without "+1 pixel" and without a division.
/// rank() leaves out candidates that nms.h calls invalid. So the result is bit-equal to that of
/// greedy suppression.
class BitmaskNms {
 public:
  /// Allocates memory for `capacity` candidates: capacity^2 / 8 bytes on the device and on the
  /// host.
  BitmaskNms(std::size_t capacity, float threshold);

  /// Ranks candidates, which can be in any order, like nms.h. Runs only on the host. Throws
  /// std::invalid_argument if there are more candidates than the capacity.
  void rank(std::span<const Box> boxes, std::span<const float> scores);
  void enqueue_upload(cuda::StreamView stream);
  void enqueue_kernel(cuda::StreamView stream);
  /// Copies the mask to the host, and waits for the stream.
  void copy_mask(cuda::StreamView stream);
  /// Reduces the mask. Runs only on the host.
  void reduce();
  /// Copies the kept candidates and their number to the device, and waits for the stream.
  void upload_kept(cuda::StreamView stream);

  void run(cuda::StreamView stream);

  /// Returns the indices of the kept candidates in rank order, after reduce().
  [[nodiscard]] std::span<const std::uint32_t> kept() const noexcept { return kept_; }

  /// These functions return the ranked candidates, and the number of words of 64 columns, after
  /// rank().
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
