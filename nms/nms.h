// Non-maximum suppression: which of many overlapping candidates stand.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry.h"

namespace facepipe {

/// Exact greedy suppression on the host.
///
/// Candidates are ranked by score descending, then index ascending. In that order a candidate is
/// kept unless an already kept one overlaps it with IoU > iou_threshold (strictly; half-open
/// boxes, no "+1 pixel"). Candidates with NaN in box or score, or with width or height <= 0, are
/// dropped. The test is inter > threshold * union in fp32 without contraction, so that every back
/// end can give the same answer bit for bit.
///
/// @param boxes, scores  equally long, any order
/// @return indices of the kept candidates, in rank order
[[nodiscard]] std::vector<std::uint32_t> greedy_nms(std::span<const Box> boxes,
                                                    std::span<const float> scores,
                                                    float iou_threshold);

}  // namespace facepipe
