// What the verbs of bench_viola_jones_cuda measure. Each prints lines as viola_jones_cuda_bench.cpp
// describes them; failures of CUDA are Error(device).
#pragma once

#include "experiments/programs/viola_jones/part_scan.h"

namespace facepipe::viola_jones {

/// Calls of each measurement before those that count.
inline constexpr int kWarmUp = 10;

/// Devices of the paper's Fig. 13.
inline constexpr std::size_t kMostDevices = 6;

/// Whole frames by all variants. Throws std::runtime_error where one finds other windows than the
/// plain loop.
void time_variants(const Job& job, int replays);

/// Each scale alone: time, active warps, multiprocessors.
void time_scales(const Job& job, int replays);

/// Several devices: measured on those that are there, simulated for up to kMostDevices.
void time_devices(const Job& job, int replays);

/// One launch of each variant and scale, for a profiler.
void launch_once(const Job& job);

}  // namespace facepipe::viola_jones
