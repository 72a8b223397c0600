// Defines a type for each measure of overlap. Kernels are instantiated with such a type. The type
// says whether a candidate suppresses another candidate that it outranks.
#pragma once

#include "core/error.h"
#include "nms/nms.h"
#include "nms/predicate.h"

namespace facepipe::nms {

/// Holds a range of areas. A box whose area is outside of the range can't suppress the compared
/// boxes at any position.
struct AreaRange {
  float least, most;
  [[nodiscard]] __device__ __forceinline__ bool holds(float area) const {
    return area >= least && area <= most;
  }
};

/// The areas of losers are in the range `of_losers`. Returns the range of areas that a winner can
/// have if its IoU with such a loser exceeds the threshold. The ratio of two boxes' areas (smaller
/// to larger) is at least their IoU. This also holds for fp32 results: rounding is monotone, so the
/// intersection is at most either area. The factor 0.9999 leaves a margin of hundreds of times the
/// rounding error of the union.
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
struct DiouOverlap {  // DIoU <= IoU, so the bounds of the IoU hold
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
struct WinnerAreaOverlap {  // no lower bound, because losers of any area may contain a small winner
  static __device__ __forceinline__ AreaRange winners(AreaRange losers, float threshold) {
    return {0, areas_within_ratio(losers, threshold).most};
  }
  static __device__ __forceinline__ bool suppresses(const Box& winner, float winner_area,
                                                    const Box& loser, float, float threshold) {
    return winner_share_exceeds(intersection(winner, loser), winner_area, threshold);
  }
};

struct SmallerAreaOverlap {  // no bounds: each box may lie within a box of any area
  static __device__ __forceinline__ AreaRange winners(AreaRange, float) {
    return {0, __int_as_float(0x7f800000)};  // infinity
  }
  static __device__ __forceinline__ bool suppresses(const Box& winner, float winner_area,
                                                    const Box& loser, float loser_area,
                                                    float threshold) {
    return smaller_share_exceeds(intersection(winner, loser), winner_area, loser_area, threshold);
  }
};

/// Calls use() with an object of the type for `overlap`, for example use(IouOverlap()).
template <class Use>
decltype(auto) with_overlap(NmsOverlap overlap, Use&& use) {
  switch (overlap) {
    case NmsOverlap::iou:
      return use(IouOverlap());
    case NmsOverlap::diou:
      return use(DiouOverlap());
    case NmsOverlap::winner_area:
      return use(WinnerAreaOverlap());
    case NmsOverlap::smaller_area:
      return use(SmallerAreaOverlap());
  }
  throw Error(ErrorKind::internal, "NMS: no kernel computes this overlap");
}

}  // namespace facepipe::nms
