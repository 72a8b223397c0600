// Computes how busy multiprocessors are, from the times in which warps were active.
#pragma once

#include <span>

#include "experiments/programs/viola_jones/kernels.h"

namespace facepipe::viola_jones {

/// Returns the average number of active warps on a multiprocessor, over the cycles in which at
/// least one warp is active. NVIDIA's profilers call this active warps per active cycle. Returns 0
/// if there are no warps.
[[nodiscard]] double active_warps(std::span<const WarpTime> times);

/// Returns the number of multiprocessors on which a warp was active.
[[nodiscard]] std::size_t multiprocessors_used(std::span<const WarpTime> times);

}  // namespace facepipe::viola_jones
