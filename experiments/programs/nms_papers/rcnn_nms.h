// A C++ port of cpu_nms.pyx, R-CNN's greedy suppression for the CPU.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry.h"

namespace facepipe::nms_papers {

/// Does what cpu_nms.pyx does (py-faster-rcnn, by way of github.com/longcw/faster_rcnn_pytorch),
/// line by line: sides of x2 - x1 + 1, a division for each pair, and suppression from the threshold
/// on. It allocates its arrays in each call, like the original. Of equal scores, the later
/// candidate comes first (the original's order of equal scores depends on its sort). Returns the
/// indices of the kept candidates, by falling score.
[[nodiscard]] std::vector<std::uint32_t> rcnn_nms(std::span<const Box> boxes,
                                                  std::span<const float> scores, float threshold);

}  // namespace facepipe::nms_papers
