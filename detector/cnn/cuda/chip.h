// What plans depend on of the device that they are made for.
#pragma once

#include <cstddef>
#include <string>

#include "core/cuda/launch.h"

namespace facepipe::engine {

struct Chip {
  int multiprocessors = 1;
  std::size_t shared_bytes = 0;  ///< that a thread block may ask for
  int compute_capability = 0;    ///< 10 * major + minor
  std::string name;
};

/// Whether there are kernels there for several operators at once.
[[nodiscard]] inline bool has_fused_kernels(const Chip& chip) {
  constexpr int kOldest = 80;
  return chip.compute_capability >= kOldest;
}

/// How kernels that know cuda::Overlap::prologue are launched there.
[[nodiscard]] inline cuda::Overlap overlap_of(const Chip& chip) {
  return chip.compute_capability >= cuda::kOldestWithClusters ? cuda::Overlap::prologue
                                                              : cuda::Overlap::none;
}

/// The calling thread's current device. Errors: device.
[[nodiscard]] Chip current_chip();

}  // namespace facepipe::engine
