// What stands behind a CudaSuppressor: a rule with its scratch memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "nms/cuda/suppressor.h"
#include "nms/cuda/view.h"
#include "nms/nms.h"

namespace facepipe::nms {

class CudaRule {
 public:
  CudaRule() = default;
  virtual ~CudaRule() = default;
  CudaRule(const CudaRule&) = delete;
  CudaRule& operator=(const CudaRule&) = delete;
  virtual void enqueue(const View& candidates, const DeviceKept& kept, cudaStream_t stream) = 0;
  /// The rule matrix alone: its two kernels apart. The others throw std::invalid_argument.
  virtual void enqueue_map(const View& candidates, cudaStream_t stream);
  virtual void enqueue_reduce(const View& candidates, cudaStream_t stream);
};

/// Deals out one allocation, piece after piece, each aligned to 256 bytes. With no memory it only
/// adds up, so that the size and the pieces can't disagree.
class Pieces {
 public:
  explicit Pieces(std::byte* memory = nullptr) : memory_(memory) {}

  template <class T>
  T* next(std::size_t count) {
    std::byte* const piece = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += (count * sizeof(T) + 255) / 256 * 256;
    return reinterpret_cast<T*>(piece);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::byte* memory_;
  std::size_t used_ = 0;
};

/// Options, capacity and multiprocessors (at least one) have been checked. Throws
/// std::invalid_argument where the capacity is too large for so few multiprocessors (soft alone).
[[nodiscard]] std::unique_ptr<CudaRule> make_rule(const NmsOptions& options, std::uint32_t capacity,
                                                  std::uint32_t multiprocessors);
[[nodiscard]] std::size_t rule_scratch_bytes(const NmsOptions& options, std::uint32_t capacity);

}  // namespace facepipe::nms
