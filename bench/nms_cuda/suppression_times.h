// Measures a suppression on the device: its options and capacity for a set, and the line of
// bench_nms_cuda's results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/nms_cuda/sets.h"
#include "nms/cuda/suppressor.h"
#include "nms/nms.h"

namespace facepipe::bench {

/// Returns the options of greedy suppression with the set's threshold.
[[nodiscard]] nms::NmsOptions greedy_options(const Set& set);

/// Returns the least capacity for sets of that size, rounded as a user would choose it.
[[nodiscard]] std::uint32_t capacity_for(std::size_t count);

/// Prints a line of the results. Times are in microseconds.
void show(const std::string& who, const Set& set, std::size_t kept,
          const std::vector<float>& times);

/// Measures one suppression as a graph. `who` begins the line. Throws Error(device) if CUDA fails.
void time_suppression(const std::string& who, const nms::NmsOptions& options, const Set& set,
                      int replays, std::uint32_t multiprocessors = nms::kAllMultiprocessors);

}  // namespace facepipe::bench
