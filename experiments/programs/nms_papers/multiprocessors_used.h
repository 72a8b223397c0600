// On how many multiprocessors a stream's work really runs.
#pragma once

#include <cstdint>

#include "core/cuda/stream.h"

namespace facepipe::nms_papers {

/// Counts those that the blocks of one large launch ran on, captured in a graph as what is timed
/// is. Allocates, and waits for the stream. Throws Error(device).
[[nodiscard]] std::uint32_t multiprocessors_used(cuda::StreamView stream);

}  // namespace facepipe::nms_papers
