// How far boxes agree on a face.
#pragma once

#include <span>
#include <vector>

#include "core/geometry.h"

namespace facepipe::nms {

/// For each box the sum of its IoU with all boxes, itself included, with which it is above 1/2: 1
/// of a box that is alone, at most the number of boxes that agree with it. All are rounded to whole
/// pixels before, as the rule groups does; 0 for a box that is invalid there. Exact up to 2^-15 for
/// each summand, and the same whatever the order of boxes (similar.h).
/// As a cascade's score it finds more than counts of boxes do
/// (bench/results/cascade_agreement.txt). Takes O(n log n) and what there is of such pairs: up to
/// n^2 / 2 comparisons where n different boxes lie in one place (20,000: some tenths of a second),
/// while equal boxes cost no more than one. Allocates some 40 bytes for each box.
[[nodiscard]] std::vector<float> measure_agreement(std::span<const Box> boxes);

}  // namespace facepipe::nms
