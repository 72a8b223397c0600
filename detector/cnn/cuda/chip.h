// Describes the properties of a device on which plans depend.
#pragma once

#include <cstddef>
#include <string>

#include "core/cuda/launch.h"

namespace facepipe::detector::engine {

struct Chip {
  int multiprocessors = 1;
  std::size_t shared_bytes = 0;  ///< largest amount of shared memory that a thread block can have
  int compute_capability = 0;    ///< 10 * major + minor
  std::string name;
};

/// Returns whether the chip can run the kernels that compute several nodes.
[[nodiscard]] inline bool has_fused_kernels(const Chip& chip) {
  constexpr int kOldest = 80;
  return chip.compute_capability >= kOldest;
}

/// Returns the overlap with which kernels that support cuda::Overlap::prologue are launched on the
/// chip.
[[nodiscard]] inline cuda::Overlap overlap_of(const Chip& chip) {
  return chip.compute_capability >= cuda::kOldestWithClusters ? cuda::Overlap::prologue
                                                              : cuda::Overlap::none;
}

/// Returns the properties of the calling thread's current device. Throws Error(device) if CUDA
/// fails.
[[nodiscard]] Chip current_chip();

}  // namespace facepipe::detector::engine
