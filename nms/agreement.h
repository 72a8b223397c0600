// Measures how far boxes agree on a face.
#pragma once

#include <span>
#include <vector>

#include "core/geometry.h"

namespace facepipe::nms {

/// Returns for each box the sum of its IoU with every box, itself included, for which that IoU is
/// above 1/2. The sum is 1 for a single box, and at most the number of boxes that agree with it.
/// All boxes are first rounded to whole pixels, as the rule `groups` does; a box that is invalid
/// there gets 0. Each summand is exact up to 2^-15, and the order of the boxes makes no difference
/// (similar.h). As the score of a cascade it finds more than counts of boxes do
/// (bench/results/cascade_agreement.txt). It takes O(n log n) and a comparison for each such pair.
/// There are up to n^2 / 2 if n different boxes lie in one place (20,000 boxes: some tenths of a
/// second). Equal boxes cost no more than one. It allocates about 40 bytes for each box.
[[nodiscard]] std::vector<float> measure_agreement(std::span<const Box> boxes);

}  // namespace facepipe::nms
