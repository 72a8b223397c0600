// Does with vectors what predicate.h does with numbers. Both use the same operations in the same
// order, so the results have the same bits. Highway includes this file once for each instruction
// set.
#if defined(FACEPIPE_NMS_OVERLAP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FACEPIPE_NMS_OVERLAP_INL
#undef FACEPIPE_NMS_OVERLAP_INL
#else
#define FACEPIPE_NMS_OVERLAP_INL
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "core/geometry.h"
#include "nms/nms.h"

HWY_BEFORE_NAMESPACE();
namespace facepipe::nms::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Holds a box in each lane.
template <class V>
struct Boxes {
  V x1, y1, x2, y2, area;
};

/// Returns the same box in each lane.
template <class D>
HWY_INLINE Boxes<hn::Vec<D>> in_all_lanes(D d, const Box& box, float area) {
  return {hn::Set(d, box.x1), hn::Set(d, box.y1), hn::Set(d, box.x2), hn::Set(d, box.y2),
          hn::Set(d, area)};
}

/// Returns successive boxes of a structure of arrays, from the aligned entry `first` on.
template <class D, class Arrays>
HWY_INLINE Boxes<hn::Vec<D>> boxes_at(D d, const Arrays& arrays, std::size_t first) {
  return {hn::Load(d, &arrays.x1[first]), hn::Load(d, &arrays.y1[first]),
          hn::Load(d, &arrays.x2[first]), hn::Load(d, &arrays.y2[first]),
          hn::Load(d, &arrays.area[first])};
}

/// Returns what intersection() of predicate.h returns, for boxes that overlap. For other boxes it
/// returns a value <= 0 or NaN, which exceeds no threshold. So it is enough to clamp the width to
/// 0, but not the height.
template <class D, class V>
HWY_INLINE V signed_intersection(D d, const Boxes<V>& a, const Boxes<V>& b) {
  const V width = hn::Max(hn::Zero(d), hn::Sub(hn::Min(a.x2, b.x2), hn::Max(a.x1, b.x1)));
  const V height = hn::Sub(hn::Min(a.y2, b.y2), hn::Max(a.y1, b.y1));
  return hn::Mul(width, height);
}

template <class V>
HWY_INLINE V union_of(V inter, V area_a, V area_b) {
  return hn::Sub(hn::Add(area_a, area_b), inter);
}

template <class D, class V>
HWY_INLINE V centre_penalty(D d, const Boxes<V>& a, const Boxes<V>& b) {
  const V dx = hn::Sub(hn::Add(a.x1, a.x2), hn::Add(b.x1, b.x2));
  const V dy = hn::Sub(hn::Add(a.y1, a.y2), hn::Add(b.y1, b.y2));
  const V cx = hn::Sub(hn::Max(a.x2, b.x2), hn::Min(a.x1, b.x1));
  const V cy = hn::Sub(hn::Max(a.y2, b.y2), hn::Min(a.y1, b.y1));
  const V distance = hn::Mul(hn::Set(d, 0.25F), hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)));
  return hn::Div(distance, hn::Add(hn::Mul(cx, cx), hn::Mul(cy, cy)));
}

/// Returns a mask of the lanes whose winner suppresses its loser.
template <NmsOverlap kOverlap, class D, class V>
HWY_INLINE hn::Mask<D> suppresses(D d, const Boxes<V>& winner, const Boxes<V>& loser, V threshold) {
  const V inter = signed_intersection(d, winner, loser);
  if constexpr (kOverlap == NmsOverlap::winner_area)
    return hn::Gt(inter, hn::Mul(threshold, winner.area));
  if constexpr (kOverlap == NmsOverlap::smaller_area)
    return hn::Gt(inter, hn::Mul(threshold, hn::Min(winner.area, loser.area)));
  const V all = union_of(inter, winner.area, loser.area);
  if constexpr (kOverlap == NmsOverlap::diou)
    threshold = hn::Add(threshold, centre_penalty(d, winner, loser));
  return hn::Gt(inter, hn::Mul(threshold, all));
}

}  // namespace facepipe::nms::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
