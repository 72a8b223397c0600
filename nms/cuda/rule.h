// Declares the interface of a rule with its scratch memory, by which CudaSuppressor is implemented.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "nms/cuda/candidate_view.h"
#include "nms/cuda/suppressor.h"
#include "nms/nms.h"

namespace facepipe::nms {

class CudaRule {
 public:
  CudaRule() = default;
  virtual ~CudaRule() = default;
  CudaRule(const CudaRule&) = delete;
  CudaRule& operator=(const CudaRule&) = delete;
  virtual void enqueue(const CandidateView& candidates, const DeviceKept& kept,
                       cudaStream_t stream) = 0;
  /// enqueue_map() and enqueue_reduce() enqueue one of the two kernels of the rule `matrix`. Other
  /// rules throw Error(internal).
  virtual void enqueue_map(const CandidateView& candidates, cudaStream_t stream);
  virtual void enqueue_reduce(const CandidateView& candidates, cudaStream_t stream);
};

/// Makes the rule of `options`, which check_nms_options() must have accepted. `multiprocessors`
/// must be >= 1. Throws Error(internal) if there are too few multiprocessors for the capacity (only
/// the rule `soft`).
[[nodiscard]] std::unique_ptr<CudaRule> make_rule(const NmsOptions& options, std::uint32_t capacity,
                                                  std::uint32_t multiprocessors);
[[nodiscard]] std::size_t rule_scratch_bytes(const NmsOptions& options, std::uint32_t capacity);

}  // namespace facepipe::nms
