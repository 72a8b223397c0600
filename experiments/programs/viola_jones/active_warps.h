// How busy multiprocessors are, from when each warp was there.
#pragma once

#include <span>

#include "experiments/programs/viola_jones/kernels.h"

namespace facepipe::viola_jones {

/// Warps that are there on average on a multiprocessor, over the cycles in which any is: what
/// NVIDIA's profilers call active warps per active cycle. 0 without warps.
[[nodiscard]] double active_warps(std::span<const WarpTime> times);

/// On how many multiprocessors there was any.
[[nodiscard]] std::size_t multiprocessors_used(std::span<const WarpTime> times);

}  // namespace facepipe::viola_jones
