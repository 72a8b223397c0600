// Tells how busy multiprocessors are, from the time in which each warp was active.
#pragma once

#include <span>

#include "experiments/programs/viola_jones/kernels.h"

namespace facepipe::viola_jones {

/// Returns the average number of warps on a multiprocessor, over the cycles in which any is active:
/// NVIDIA's profilers call this active warps per active cycle. Returns 0 without warps.
[[nodiscard]] double active_warps(std::span<const WarpTime> times);

/// Returns the number of multiprocessors with any warp.
[[nodiscard]] std::size_t multiprocessors_used(std::span<const WarpTime> times);

}  // namespace facepipe::viola_jones
