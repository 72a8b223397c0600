#include "nms/cpu/sweep.h"

#include <cstddef>

#include "nms/predicate.h"

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "nms/cpu/sweep.cpp"
#include <hwy/foreach_target.h>
// Highway requires this after foreach_target.h.
#include <hwy/highway.h>

#include "nms/cpu/overlap-inl.h"

HWY_BEFORE_NAMESPACE();
namespace facepipe::nms::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, BoxBlock::kBoxes>;
using LanesV = hn::Vec<Lanes>;

/// Finds the cells that a box covers after it is enlarged on each side by `beyond` times its width
/// or height.
class CellFinder {
 public:
  explicit CellFinder(const GridPlan& plan)
      : origin_{plan.left, plan.top, plan.left, plan.top},
        last_{static_cast<float>(plan.columns - 1), static_cast<float>(plan.rows - 1),
              static_cast<float>(plan.columns - 1), static_cast<float>(plan.rows - 1)},
        scale_(plan.cells_per_pixel) {}

  [[nodiscard]] HWY_INLINE CellRange cells(const Box& box, float beyond) const {
#if HWY_TARGET == HWY_SCALAR
    const float dx = beyond * (box.x2 - box.x1);
    const float dy = beyond * (box.y2 - box.y1);
    return {cell(0, box.x1 - dx, box.x1), cell(1, box.y1 - dy, box.y1),
            cell(2, box.x2 + dx, box.x2), cell(3, box.y2 + dy, box.y2)};
#else
    const hn::FixedTag<float, 4> d;
    const hn::RebindToSigned<decltype(d)> di;
    const auto corners = hn::LoadU(d, &box.x1);
    const auto outwards = hn::Sub(corners, hn::Shuffle1032(corners));  // -w -h w h
    const auto moved = hn::Add(corners, hn::Mul(hn::Set(d, beyond), outwards));
    // An infinite corner would become NaN, so it stays unchanged.
    const auto outer = hn::IfThenElse(hn::Eq(moved, moved), moved, corners);
    const auto position = hn::Mul(hn::Sub(outer, hn::Load(d, origin_)), hn::Set(d, scale_));
    const auto inside = hn::Min(hn::Max(position, hn::Zero(d)), hn::Load(d, last_));
    HWY_ALIGN std::int32_t out[4];
    hn::Store(hn::ConvertTo(di, inside), di, out);
    return {static_cast<std::uint32_t>(out[0]), static_cast<std::uint32_t>(out[1]),
            static_cast<std::uint32_t>(out[2]), static_cast<std::uint32_t>(out[3])};
#endif
  }

 private:
  [[nodiscard]] std::uint32_t cell(int side, float moved, float corner) const {
    const float position = ((moved == moved ? moved : corner) - origin_[side]) * scale_;
    return static_cast<std::uint32_t>(lesser(greater(0.0F, position), last_[side]));
  }

  HWY_ALIGN float origin_[4];
  HWY_ALIGN float last_[4];
  float scale_;
};

template <NmsOverlap kOverlap>
HWY_INLINE bool suppressed_by_cell(const KeptGrid& grid, const KeptGrid::Cell& cell,
                                   const Boxes<LanesV>& loser, LanesV threshold) {
  const Lanes d;
  std::uint32_t left = cell.boxes;
  if (left == 0) return false;
  for (std::uint32_t index = cell.first;; index = grid.after(index)) {
    const BoxBlock& block = grid.block(index);
    auto suppressed = hn::MaskFromVec(hn::Zero(d));
    for (std::size_t lane = 0; lane < BoxBlock::kBoxes; lane += hn::Lanes(d)) {
      const Boxes<LanesV> winner = boxes_at(d, block, lane);
      suppressed = hn::Or(suppressed, suppresses<kOverlap>(d, winner, loser, threshold));
    }
    if (!hn::AllFalse(d, suppressed)) return true;
    if (left <= BoxBlock::kBoxes) return false;
    left -= BoxBlock::kBoxes;
  }
}

template <NmsOverlap kOverlap>
HWY_INLINE bool suppressed_in_range(const KeptGrid& grid, const CellRange& range,
                                    const Boxes<LanesV>& loser, LanesV threshold) {
  const std::uint32_t columns = grid.plan().columns;
  for (std::uint32_t row = range.top; row <= range.bottom; ++row)
    for (std::uint32_t column = range.left; column <= range.right; ++column)
      if (suppressed_by_cell<kOverlap>(grid, grid.cell(row * columns + column), loser, threshold))
        return true;
  return false;
}

template <NmsOverlap kOverlap>
std::uint32_t sweep_by(const SweepInput& input, KeptGrid& grid, std::uint32_t* kept) {
  const LanesV threshold = hn::Set(Lanes(), input.threshold);
  const CellFinder finder(grid.plan());
  const bool single = grid.plan().single();
  const Reach reach = reach_of(input.overlap, input.threshold);
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < input.count; ++i) {
    const std::uint32_t index = input.ranked[i];
    const Box& box = input.boxes[index];
    const float box_area = area(box);
    const Boxes<LanesV> loser = in_all_lanes(Lanes(), box, box_area);
    const std::uint16_t centre_cell = single ? 0 : input.centre_cells[index];
    bool suppressed = false;
    if (single || (reach.by_centre && centre_cell != kNoCell))
      suppressed = suppressed_by_cell<kOverlap>(grid, grid.cell(centre_cell), loser, threshold);
    else
      suppressed = suppressed_in_range<kOverlap>(grid, finder.cells(box, 0), loser, threshold);
    suppressed = suppressed || suppressed_by_cell<kOverlap>(grid, grid.wide(), loser, threshold);
    if (!suppressed) kept[count++] = index;
    if (!suppressed || input.any_stronger)
      grid.add(box, box_area, single ? CellRange{} : finder.cells(box, reach.beyond));
  }
  return count;
}

std::uint32_t sweep(const SweepInput& input, KeptGrid& grid, std::uint32_t* kept) {
  switch (input.overlap) {
    case NmsOverlap::diou:
      return sweep_by<NmsOverlap::diou>(input, grid, kept);
    case NmsOverlap::winner_area:
      return sweep_by<NmsOverlap::winner_area>(input, grid, kept);
    case NmsOverlap::smaller_area:
      return sweep_by<NmsOverlap::smaller_area>(input, grid, kept);
    case NmsOverlap::iou:
      break;
  }
  return sweep_by<NmsOverlap::iou>(input, grid, kept);
}

}  // namespace facepipe::nms::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace facepipe::nms {

HWY_EXPORT(sweep);

std::uint32_t sweep(const SweepInput& input, KeptGrid& grid, std::uint32_t* kept) {
  return HWY_DYNAMIC_DISPATCH(sweep)(input, grid, kept);
}

}  // namespace facepipe::nms
#endif  // HWY_ONCE
