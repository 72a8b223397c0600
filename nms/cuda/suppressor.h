// Runs suppression on a CUDA device. Candidates and kept candidates are in device memory, and the
// host isn't involved. The contract is in nms.h. Results are equal to the CPU's, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/cuda/stream.h"
#include "nms/nms.h"

namespace facepipe::nms {

/// Refers to candidates in device memory, in any order. Each array has as many elements as the
/// suppressor's capacity. The first *count elements are candidates. The other elements may have any
/// value.
struct DeviceCandidates {
  const Box* boxes = nullptr;  ///< aligned to 16 bytes, as cudaMalloc's memory is
  const float* scores = nullptr;
  const std::uint32_t* count = nullptr;  ///< in device memory; may differ from replay to replay
};

/// Refers to the output, in device memory. Each array has as many elements as the suppressor's
/// capacity.
struct DeviceKept {
  std::uint32_t* indices = nullptr;  ///< in rank order (`soft`: in the order of selection)
  std::uint32_t* count = nullptr;
  std::uint32_t* beyond_capacity = nullptr;  ///< number of ignored candidates, usually 0
  Box* boxes = nullptr;     ///< if moves_boxes(), the moved boxes; aligned to 16 bytes
  float* scores = nullptr;  ///< if changes_scores(), the new scores
};

/// Throws Error(internal) if an array is null that a suppressor with these options needs, or if
/// boxes aren't aligned to 16 bytes.
void check_arrays(const NmsOptions& options, const DeviceCandidates& candidates,
                  const DeviceKept& kept);

class CudaRule;
struct CandidateView;

/// An argument `multiprocessors` of this value means all multiprocessors of the device.
inline constexpr std::uint32_t kAllMultiprocessors = 0;

/// Returns how many multiprocessors a suppressor should use if the device computes other things at
/// the same time. The kernel of the rules `greedy` and `fast` starts only when all its blocks can
/// run. So it starts sooner if it uses only half of the multiprocessors. The same is true of
/// `soft`, but half of the multiprocessors may have too little shared memory for the capacity. So
/// `soft` uses all of them, as do the rules whose blocks don't wait for each other. Throws
/// Error(ErrorKind::device) if CUDA fails.
[[nodiscard]] std::uint32_t multiprocessors_beside_others(const NmsOptions& options);

/// Owns scratch memory for one suppression at a time. If several streams do suppression, each needs
/// its own suppressor, or events must order their work. A suppressor belongs to the device that was
/// current at construction.
class CudaSuppressor {
 public:
  /// `capacity` is the largest number of candidates that are looked at; *beyond_capacity counts the
  /// other candidates. `multiprocessors` is the number of multiprocessors that the stream may use.
  /// In a green context, this is less than all of the device. The number must not be too large:
  /// blocks of some kernels wait for each other, so all blocks of such a kernel must run at the
  /// same time. If they can't, the launch fails, possibly only after the time limit of SpinLimit.
  /// Throws Error(usage) as check_nms_options() does, and Error(ErrorKind::device) if CUDA fails.
  CudaSuppressor(const NmsOptions& options, std::uint32_t capacity,
                 std::uint32_t multiprocessors = kAllMultiprocessors);
  ~CudaSuppressor();
  CudaSuppressor(CudaSuppressor&&) noexcept;
  CudaSuppressor& operator=(CudaSuppressor&&) noexcept;
  CudaSuppressor(const CudaSuppressor&) = delete;
  CudaSuppressor& operator=(const CudaSuppressor&) = delete;

  /// Enqueues the suppression and returns. It neither allocates nor waits, so it can be captured in
  /// a graph and replayed with another count. Throws Error(internal) if the options need an
  /// array whose pointer is null.
  void enqueue(const DeviceCandidates& candidates, const DeviceKept& kept, cuda::StreamView stream);

  /// enqueue_map() and enqueue_reduce() enqueue one of the two kernels of the rule `matrix`, so
  /// that each can be timed. Their results stay in the suppressor. Other rules throw
  /// Error(internal).
  void enqueue_map(const DeviceCandidates& candidates, cuda::StreamView stream);
  void enqueue_reduce(const DeviceCandidates& candidates, cuda::StreamView stream);

  [[nodiscard]] const NmsOptions& options() const noexcept { return options_; }
  [[nodiscard]] std::uint32_t capacity() const noexcept { return capacity_; }

  /// Returns how many bytes of device memory a suppressor allocates.
  [[nodiscard]] static std::size_t scratch_bytes(const NmsOptions& options, std::uint32_t capacity);

 private:
  [[nodiscard]] CandidateView view_of(const DeviceCandidates& candidates) const;

  NmsOptions options_;
  std::uint32_t capacity_;
  std::unique_ptr<CudaRule> rule_;
};

}  // namespace facepipe::nms
