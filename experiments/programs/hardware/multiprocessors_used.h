// Says how many multiprocessors really run a stream's work.
#pragma once

#include <cstdint>

#include "core/cuda/stream.h"

namespace facepipe::experiments {

/// Counts the multiprocessors that run the blocks of one large launch. The launch is captured in a
/// graph, like the measured work. Allocates memory and waits for the stream. Throws Error(device).
[[nodiscard]] std::uint32_t multiprocessors_used(cuda::StreamView stream);

}  // namespace facepipe::experiments
