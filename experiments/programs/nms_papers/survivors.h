// Reads the papers' vector V, which says which candidates survive.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"

namespace facepipe::nms_papers {

/// Waits for the stream. Returns those of the first `count` indices whose byte in V is not 0, in
/// ascending order.
[[nodiscard]] std::vector<std::uint32_t> survivors(const cuda::DeviceBuffer<std::uint8_t>& v,
                                                   std::uint32_t count, cuda::StreamView stream);

}  // namespace facepipe::nms_papers
