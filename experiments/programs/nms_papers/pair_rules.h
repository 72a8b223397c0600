// Greedy suppression whose predicate needs more data than two boxes: Adaptive-NMS (Liu et al. 2019)
// and FeatureNMS (Salscheider 2020). Oro et al. 2020 name both as uses of their kernels. The host
// and the kernels share the arithmetic, which is that of nms/predicate.h: fp32, each operation
// rounded to nearest. So results are bit-equal.
#pragma once

#include <cstdint>

#include "core/geometry.h"
#include "nms/predicate.h"

namespace facepipe::nms_papers {

/// The data of a candidate that rules use.
struct PairCandidate {
  Box box;
  float area = 0;
  std::uint32_t index = 0;  ///< index of the candidate in the rule's data
};

/// Adaptive-NMS allows more overlap where objects are close together. A candidate suppresses those
/// that it outranks and overlaps by an IoU above the greater of the threshold and its own density.
/// The density is the detector's estimate of the greatest IoU of the candidate's object with
/// another object; a NaN counts as 0. (The paper also suppresses at equality.)
struct AdaptiveRule {
  float threshold;         ///< 0..1
  const float* densities;  ///< one for each candidate, in the memory of the host or the device

  [[nodiscard]] FACEPIPE_NMS_INLINE bool suppresses(const PairCandidate& winner,
                                                    const PairCandidate& loser) const {
    return nms::iou_exceeds(nms::intersection(winner.box, loser.box), winner.area, loser.area,
                            nms::greater(threshold, densities[winner.index]));
  }
};

/// FeatureNMS uses the distance of features if the IoU doesn't decide. Two candidates show
/// different objects if their IoU is at most `least_iou`, and the same object if it is above
/// `sure_iou`. Between these limits, they show the same object if the Euclidean distance of their
/// feature vectors is at most `distance`. If the distance is NaN, they show different objects.
struct FeatureRule {
  float least_iou;
  float sure_iou;
  float distance;         ///< >= 0
  const float* features;  ///< a vector for each candidate, one after the other
  std::uint32_t length;   ///< length of a vector

  /// Returns the sum of squared differences, added in the order of the vector.
  [[nodiscard]] FACEPIPE_NMS_INLINE float squared_distance(std::uint32_t a, std::uint32_t b) const {
    const float* const of_a = features + std::uint64_t{a} * length;
    const float* const of_b = features + std::uint64_t{b} * length;
    float sum = 0;
    for (std::uint32_t i = 0; i < length; ++i) {
      const float difference = nms::sub(of_a[i], of_b[i]);
      sum = nms::add(sum, nms::mul(difference, difference));
    }
    return sum;
  }

  [[nodiscard]] FACEPIPE_NMS_INLINE bool suppresses(const PairCandidate& winner,
                                                    const PairCandidate& loser) const {
    const float inter = nms::intersection(winner.box, loser.box);
    if (!nms::iou_exceeds(inter, winner.area, loser.area, least_iou)) return false;
    if (nms::iou_exceeds(inter, winner.area, loser.area, sure_iou)) return true;
    return squared_distance(winner.index, loser.index) <= nms::mul(distance, distance);
  }
};

/// Says which candidates remove the candidates that they suppress.
enum class Removers : std::uint8_t {
  kept,  ///< kept candidates: greedy suppression, as both papers define it
  any,   ///< all candidates, as in the matrix of Oro et al.
};

}  // namespace facepipe::nms_papers
