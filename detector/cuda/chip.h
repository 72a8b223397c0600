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

/// How kernels that know cuda::Overlap::prologue are launched there.
[[nodiscard]] inline cuda::Overlap overlap_of(const Chip& chip) {
  return chip.compute_capability >= cuda::kOldestWithClusters ? cuda::Overlap::prologue
                                                              : cuda::Overlap::none;
}

/// The calling thread's current device. Errors: device.
[[nodiscard]] Chip current_chip();

}  // namespace facepipe::engine
