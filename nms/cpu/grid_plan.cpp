#include "nms/cpu/grid_plan.h"

#include <algorithm>
#include <cmath>

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "nms/cpu/grid_plan.cpp"
#include <hwy/foreach_target.h>
// Highway requires this after foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace facepipe::nms::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// If all sides are in this range, areas are normal floats (neither subnormal nor infinite). t times
// an area is a normal float, too, for t >= 0.2.
constexpr float kLeastSide = 2e-15F;
constexpr float kMostSide = 1e18F;

template <class D, class V>
HWY_INLINE V cell_along(D d, V begin, V end, float origin, float scale, std::uint32_t cells) {
  const V half = hn::Set(d, 0.5F);
  const V centre = hn::Add(hn::Mul(begin, half), hn::Mul(end, half));
  const V position = hn::Mul(hn::Sub(centre, hn::Set(d, origin)), hn::Set(d, scale));
  return hn::Min(hn::Max(position, hn::Zero(d)), hn::Set(d, static_cast<float>(cells - 1)));
}

void find_centre_cells(const Box* boxes, std::uint32_t count, const GridPlan& plan,
                       std::uint16_t* centre_cells) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<std::uint16_t, decltype(d)> d16;
  const auto lanes = static_cast<std::uint32_t>(hn::Lanes(d));
  const auto columns = hn::Set(di, static_cast<std::int32_t>(plan.columns));
  const float scale = plan.cells_per_pixel;
  std::uint32_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    auto x1 = hn::Zero(d);
    auto y1 = hn::Zero(d);
    auto x2 = hn::Zero(d);
    auto y2 = hn::Zero(d);
    hn::LoadInterleaved4(d, &boxes[i].x1, x1, y1, x2, y2);
    const auto column = hn::ConvertTo(di, cell_along(d, x1, x2, plan.left, scale, plan.columns));
    const auto row = hn::ConvertTo(di, cell_along(d, y1, y2, plan.top, scale, plan.rows));
    const auto cell = hn::Add(hn::Mul(row, columns), column);
    const auto width = hn::Sub(x2, x1);
    const auto height = hn::Sub(y2, y1);
    const auto usual = hn::And(hn::Gt(hn::Min(width, height), hn::Set(d, kLeastSide)),
                               hn::Lt(hn::Max(width, height), hn::Set(d, kMostSide)));
    const auto result =
        hn::IfThenElse(hn::RebindMask(di, usual), cell, hn::Set(di, std::int32_t{kNoCell}));
    hn::StoreU(hn::DemoteTo(d16, result), d16, centre_cells + i);
  }
  // The last boxes don't fill a vector. With kNoCell, their candidates look into more cells than
  // necessary, which costs almost nothing.
  std::fill(centre_cells + i, centre_cells + count, kNoCell);
}

}  // namespace facepipe::nms::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace facepipe::nms {
namespace {

// These values were measured on faces, crowds and random boxes. If cells are much larger than the
// boxes, a candidate is compared with many boxes that it doesn't overlap. If cells are much
// smaller, each box is stored in many cells.
constexpr float kBoxesAlongACell = 2;
constexpr std::uint32_t kFewestCells = 8;

std::uint32_t cells_along(float length, float side) {
  return std::min(static_cast<std::uint32_t>(length / side) + 1, GridPlan::kMaxColumns);
}

}  // namespace

HWY_EXPORT(find_centre_cells);

void find_centre_cells(const Box* boxes, std::uint32_t count, const GridPlan& plan,
                       std::uint16_t* centre_cells) {
  HWY_DYNAMIC_DISPATCH(find_centre_cells)(boxes, count, plan, centre_cells);
}

GridPlan plan_grid(const Collected& collected) {
  const float width = collected.right - collected.left;
  const float height = collected.bottom - collected.top;
  const bool measurable =
      width >= 0 && height >= 0 && std::isfinite(width) && std::isfinite(height);
  if (collected.count < GridPlan::kFewestCandidates || !measurable) return {};

  const auto most_cells = static_cast<float>(std::min(collected.count, GridPlan::kMaxCells));
  constexpr float kColumns = GridPlan::kMaxColumns;
  const float side =
      std::max({collected.usual_side * kBoxesAlongACell, width / kColumns, height / kColumns,
                std::sqrt(width / most_cells) * std::sqrt(height)});
  if (!std::isnormal(side) || !std::isnormal(1 / side)) return {};
  const GridPlan plan{collected.left, collected.top, 1 / side, cells_along(width, side),
                      cells_along(height, side)};
  return plan.cells() < kFewestCells ? GridPlan{} : plan;
}

Reach reach_of(NmsOverlap overlap, float threshold) {
  // DIoU <= IoU, so a limit that holds if IoU > t also holds if DIoU > t. If the intersection is
  // divided by only one area, the threshold says nothing about the other box's size. Below
  // kLeastThreshold, a box would be stored in too many cells.
  constexpr float kLeastThreshold = 0.2F;
  const bool by_one_area =
      overlap == NmsOverlap::winner_area || overlap == NmsOverlap::smaller_area;
  if (by_one_area || threshold < kLeastThreshold) return {false, 0};
  const float share = 0.98F * threshold;
  return {true, share >= 0.5F ? 0.0F : 1.01F * (0.5F - share) / share};
}

}  // namespace facepipe::nms
#endif  // HWY_ONCE
