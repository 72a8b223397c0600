#pragma once

#include <cstdint>
#include <string>

#include "bench/nms_cuda/set_results.h"
#include "nms/cuda/suppressor.h"

namespace facepipe::bench {

/// Measures one suppression as a CUDA graph, and prints a line that begins with `who`. Throws
/// Error(device) if CUDA fails.
void time_suppression(const std::string& who, const nms::NmsOptions& options, const Set& set,
                      int replays, std::uint32_t multiprocessors = nms::kAllMultiprocessors);

}  // namespace facepipe::bench
