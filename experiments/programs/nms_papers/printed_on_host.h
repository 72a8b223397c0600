// Does the work of Oro et al.'s printed kernels on the host.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry.h"
#include "experiments/programs/nms_papers/printed_rule.h"

namespace facepipe::nms_papers {

[[nodiscard]] std::vector<PrintedDetection> printed_detections(std::span<const Box> boxes,
                                                               std::span<const float> scores);

/// Returns the indices of the candidates that no other candidate suppresses, in ascending order.
[[nodiscard]] std::vector<std::uint32_t> printed_on_host(std::span<const Box> boxes,
                                                         std::span<const float> scores,
                                                         float threshold);

}  // namespace facepipe::nms_papers
