// Suppression on a CUDA device: candidates in device memory -> kept ones in device memory, without
// the host in between. The contract is that of nms.h; the result equals the CPU's bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/cuda/stream.h"
#include "nms/nms.h"

namespace facepipe {

/// Candidates in device memory, in any order. Each array is as long as the suppressor's capacity,
/// of which the first *count are candidates; the rest may be anything.
struct DeviceCandidates {
  const Box* boxes = nullptr;  ///< aligned to 16 bytes, as cudaMalloc's memory is
  const float* scores = nullptr;
  const std::uint32_t* groups = nullptr;  ///< or null: see NmsCandidates
  const std::uint32_t* count = nullptr;   ///< on the device; may change from replay to replay
};

/// Where the kept ones go, in device memory. Each array is as long as the suppressor's capacity.
struct DeviceKept {
  std::uint32_t* indices = nullptr;  ///< in rank order (soft: in the order of selection)
  std::uint32_t* count = nullptr;
  std::uint32_t* beyond_capacity = nullptr;  ///< candidates that were not looked at, 0 as a rule
  Box* boxes = nullptr;                      ///< voting only: moved; aligned to 16 bytes
  float* scores = nullptr;                   ///< soft only: decayed
};

namespace nms {
class CudaRule;
struct View;
}  // namespace nms

/// As many multiprocessors as the device has.
inline constexpr std::uint32_t kAllMultiprocessors = 0;

/// Owns the scratch memory of one suppression at a time: work enqueued on several streams needs a
/// suppressor for each, or an order among them. Bound to the device current at construction.
class CudaSuppressor {
 public:
  /// Throws std::invalid_argument as check_nms_options(), Error(ErrorKind::device) where CUDA
  /// fails. `capacity`: candidates looked at; more are counted in *beyond_capacity.
  /// `multiprocessors`: those that the streams' work may use, where that is not the whole device,
  /// as in a green context; at most what the device has. CTAs that wait for each other must all run
  /// at once: a launch for more than there are fails, be it after its limit of waiting.
  CudaSuppressor(const NmsOptions& options, std::uint32_t capacity,
                 std::uint32_t multiprocessors = kAllMultiprocessors);
  ~CudaSuppressor();
  CudaSuppressor(CudaSuppressor&&) noexcept;
  CudaSuppressor& operator=(CudaSuppressor&&) noexcept;
  CudaSuppressor(const CudaSuppressor&) = delete;
  CudaSuppressor& operator=(const CudaSuppressor&) = delete;

  /// Enqueues the suppression and returns; nothing is allocated, nothing waited for, so it can be
  /// captured in a graph, and replayed with another count. Throws std::invalid_argument for null
  /// pointers where the options need an array.
  void enqueue(const DeviceCandidates& candidates, const DeviceKept& kept, cuda::StreamView stream);

  /// The rule matrix alone, to be timed apart: its map and its reduce kernel, which leave their
  /// results in the suppressor.
  void enqueue_map(const DeviceCandidates& candidates, cuda::StreamView stream);
  void enqueue_reduce(const DeviceCandidates& candidates, cuda::StreamView stream);

  [[nodiscard]] const NmsOptions& options() const noexcept { return options_; }
  [[nodiscard]] std::uint32_t capacity() const noexcept { return capacity_; }

  /// Device memory that a suppressor allocates.
  [[nodiscard]] static std::size_t scratch_bytes(const NmsOptions& options, std::uint32_t capacity);

 private:
  [[nodiscard]] nms::View view_of(const DeviceCandidates& candidates) const;

  NmsOptions options_;
  std::uint32_t capacity_;
  std::unique_ptr<nms::CudaRule> rule_;
};

}  // namespace facepipe
