// A C++ port of cpu_nms.pyx, R-CNN's greedy suppression for the CPU.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry.h"

namespace facepipe::nms_papers {

/// Does the same as cpu_nms.pyx (py-faster-rcnn, in the version of
/// github.com/longcw/faster_rcnn_pytorch), line by line: sides of x2 - x1 + 1, a division for each
/// pair, and suppression if the overlap is at least the threshold. It allocates its arrays in each
/// call, like the original. Of equal scores, the later candidate comes first (in the original, this
/// depends on the sort). Returns the indices of the kept candidates, by falling score.
[[nodiscard]] std::vector<std::uint32_t> rcnn_nms(std::span<const Box> boxes,
                                                  std::span<const float> scores, float threshold);

}  // namespace facepipe::nms_papers
