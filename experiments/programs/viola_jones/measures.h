// The measurements of the verbs of bench_viola_jones_cuda. Each function prints the lines that
// viola_jones_cuda_bench.cpp describes. If CUDA fails, it throws Error(device).
#pragma once

#include <cstddef>

#include "experiments/programs/viola_jones/part_scan.h"

namespace facepipe::viola_jones {

/// The largest number of devices in the paper's Fig. 13.
inline constexpr std::size_t kMostDevices = 6;

/// Measures whole frames with all variants. Throws std::runtime_error if a variant finds other
/// windows than the plain loop.
void time_variants(const Job& job, int replays);

/// Measures whole frames with blocks of other sides, other numbers of cached stages, other ratios
/// of scales, and without the smallest windows. Throws std::runtime_error if another shape of
/// blocks finds other windows.
void time_choices(const Job& job, int replays);

/// Measures each scale separately: time, active warps, used multiprocessors.
void time_scales(const Job& job, int replays);

/// Measures several devices: first those that exist, then a simulation of up to kMostDevices.
void time_devices(const Job& job, int replays);

/// Launches each variant and scale once, for a profiler.
void launch_once(const Job& job);

}  // namespace facepipe::viola_jones
