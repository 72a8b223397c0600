// Measures of overlap: whether a candidate that outranks another suppresses it.
#pragma once

#include <stdexcept>

#include "nms/nms.h"
#include "nms/predicate.h"

namespace facepipe::nms {

/// Areas that a box must have to suppress, or it doesn't whatever its place.
struct AreaRange {
  float least, most;
  [[nodiscard]] __device__ __forceinline__ bool holds(float area) const {
    return area >= least && area <= most;
  }
};

/// IoU > t needs a ratio of areas > t. In fp32 as well: the intersection is at most either area,
/// because rounding keeps order, and the margin is hundreds of times the error of the union.
__device__ __forceinline__ AreaRange areas_within_ratio(AreaRange of_losers, float threshold) {
  constexpr float kTiny = 1e-30F;
  const float ratio = 0.9999F * threshold;
  const float least = of_losers.least > kTiny ? of_losers.least * ratio : 0;
  return {least, fmaxf(kTiny, __fdividef(of_losers.most, ratio))};
}

struct IouOverlap {
  static __device__ __forceinline__ AreaRange winners(AreaRange losers, float threshold) {
    return areas_within_ratio(losers, threshold);
  }
  static __device__ __forceinline__ bool suppresses(const Box& winner, float winner_area,
                                                    const Box& loser, float loser_area,
                                                    float threshold) {
    return iou_exceeds(intersection(winner, loser), winner_area, loser_area, threshold);
  }
};
struct DiouOverlap {  // at most the IoU
  static __device__ __forceinline__ AreaRange winners(AreaRange losers, float threshold) {
    return areas_within_ratio(losers, threshold);
  }
  static __device__ __forceinline__ bool suppresses(const Box& winner, float winner_area,
                                                    const Box& loser, float loser_area,
                                                    float threshold) {
    const float inter = intersection(winner, loser);
    return diou_exceeds(winner, loser, inter, winner_area, loser_area, threshold);
  }
};
struct WinnerAreaOverlap {  // small winners suppress all around them
  static __device__ __forceinline__ AreaRange winners(AreaRange losers, float threshold) {
    return {0, areas_within_ratio(losers, threshold).most};
  }
  static __device__ __forceinline__ bool suppresses(const Box& winner, float winner_area,
                                                    const Box& loser, float, float threshold) {
    return winner_share_exceeds(intersection(winner, loser), winner_area, threshold);
  }
};

/// Calls use(IouOverlap()) or as the overlap is.
template <class Use>
decltype(auto) with_overlap(NmsOverlap overlap, Use&& use) {
  switch (overlap) {
    case NmsOverlap::iou:
      return use(IouOverlap());
    case NmsOverlap::diou:
      return use(DiouOverlap());
    case NmsOverlap::winner_area:
      return use(WinnerAreaOverlap());
  }
  throw std::logic_error("an overlap without a kernel");
}

}  // namespace facepipe::nms
