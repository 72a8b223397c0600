// Suppression by a pair rule on the device, without the host.
#pragma once

#include <cstdint>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "experiments/programs/nms_papers/pair_rules.h"
#include "nms/cuda/suppressor.h"

namespace facepipe::nms_papers {

/// Ranks the candidates, writes a bit for each pair in rank order, and decides 64 candidates at a
/// time in one block. Keeps the same candidates as PairNms. A call can be captured; it doesn't
/// allocate memory and doesn't wait.
class DevicePairNms {
 public:
  /// `capacity` is 1..65536. Allocates capacity^2 / 8 bytes for the bits.
  explicit DevicePairNms(std::uint32_t capacity);

  /// Enqueues the suppression. The rule's pointers are to device memory, with an element or a
  /// vector for each candidate. `kept` must have indices, count and beyond_capacity.
  void enqueue(const AdaptiveRule& rule, const nms::DeviceCandidates& candidates,
               const nms::DeviceKept& kept, Removers removers, cuda::StreamView stream);
  void enqueue(const FeatureRule& rule, const nms::DeviceCandidates& candidates,
               const nms::DeviceKept& kept, Removers removers, cuda::StreamView stream);

 private:
  template <class Rule>
  void enqueue_rule(const Rule& rule, const nms::DeviceCandidates& candidates,
                    const nms::DeviceKept& kept, Removers removers, cuda::StreamView stream);

  std::uint32_t capacity_;
  cuda::DeviceBuffer<std::uint64_t> keys_;
  cuda::DeviceBuffer<std::uint32_t> ranked_;  ///< number of valid candidates
  cuda::DeviceBuffer<std::uint64_t> mask_;
};

}  // namespace facepipe::nms_papers
