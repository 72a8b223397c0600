// Measures a suppression on the device and prints a line of bench_nms_cuda's results.
#pragma once

#include <cstdint>
#include <string>

#include "bench/nms_cuda/sets.h"
#include "nms/cuda/suppressor.h"
#include "nms/nms.h"

namespace facepipe::bench {

/// The number of calls before each measurement that don't count.
inline constexpr int kWarmUp = 10;

/// Measures one suppression as a graph. `who` begins the line. Throws Error(device) if CUDA fails.
void time_suppression(const std::string& who, const nms::NmsOptions& options, const Set& set,
                      int replays, std::uint32_t multiprocessors = nms::kAllMultiprocessors);

}  // namespace facepipe::bench
