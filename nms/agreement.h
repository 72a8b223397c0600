// Measures how much the boxes of one picture agree with each other.
#pragma once

#include <span>
#include <vector>

#include "core/geometry.h"

namespace facepipe::nms {

/// Returns a number for each box: the sum of its IoUs with all boxes. Only IoUs above 1/2 count.
/// The IoU with the box itself (1) counts, too. So the sum is at most the number of boxes that
/// agree with the box. All boxes are first rounded to whole pixels, as the rule `groups` does; a
/// box that is then invalid gets 0. Each summand is exact up to 2^-15, and the order of the boxes
/// makes no difference (similar.h). A cascade that uses this sum as its score finds more faces than
/// a cascade that counts boxes (bench/results/cascade_agreement.txt).
/// The function takes O(n log n) steps, and one comparison for each pair of neighbouring boxes.
/// There are up to n^2 / 2 such pairs if n different boxes lie in one place (20,000 boxes: some
/// tenths of a second). Equal boxes are compared only once. The function allocates about 40 bytes
/// for each box.
[[nodiscard]] std::vector<float> measure_agreement(std::span<const Box> boxes);

}  // namespace facepipe::nms
