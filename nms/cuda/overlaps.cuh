// Measures of overlap: whether a candidate that outranks another suppresses it.
#pragma once

#include <stdexcept>

#include "nms/nms.h"
#include "nms/predicate.h"

namespace facepipe::nms {

struct IouOverlap {
  static __device__ __forceinline__ bool suppresses(const Box& winner, float winner_area,
                                                    const Box& loser, float loser_area,
                                                    float threshold) {
    return iou_exceeds(intersection(winner, loser), winner_area, loser_area, threshold);
  }
};
struct DiouOverlap {
  static __device__ __forceinline__ bool suppresses(const Box& winner, float winner_area,
                                                    const Box& loser, float loser_area,
                                                    float threshold) {
    const float inter = intersection(winner, loser);
    return diou_exceeds(winner, loser, inter, winner_area, loser_area, threshold);
  }
};
struct WinnerAreaOverlap {
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
