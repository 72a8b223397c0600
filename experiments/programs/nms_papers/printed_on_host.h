// Does on the host what the printed kernels of Oro et al. do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry.h"
#include "experiments/programs/nms_papers/printed_rule.h"

namespace facepipe::nms_papers {

[[nodiscard]] std::vector<PrintedDetection> printed_detections(std::span<const Box> boxes,
                                                               std::span<const float> scores);

/// Returns the candidates that no other one suppresses, by ascending index.
[[nodiscard]] std::vector<std::uint32_t> printed_on_host(std::span<const Box> boxes,
                                                         std::span<const float> scores,
                                                         float threshold);

}  // namespace facepipe::nms_papers
