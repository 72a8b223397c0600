#include "nms/cpu/voting.h"

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "nms/cpu/voting.cpp"
#include <hwy/foreach_target.h>
// Highway requires this after foreach_target.h.
#include <hwy/highway.h>

#include "nms/cpu/overlap-inl.h"

HWY_BEFORE_NAMESPACE();
namespace facepipe::nms::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, BoxBlock::kBoxes>;
using LanesV = hn::Vec<Lanes>;

/// Returns the first of the boxes that suppresses `loser`; `count` if none does.
template <NmsOverlap kOverlap>
HWY_INLINE std::uint32_t first_suppressor(const BoxBlock* boxes, std::uint32_t count,
                                          const Box& loser, float threshold) {
  const Lanes d;
  const LanesV limit = hn::Set(d, threshold);
  const Boxes<LanesV> all = in_all_lanes(d, loser, area(loser));
  for (std::uint32_t i = 0; i < count; i += static_cast<std::uint32_t>(hn::Lanes(d))) {
    const Boxes<LanesV> winner = boxes_at(d, boxes[i / BoxBlock::kBoxes], i % BoxBlock::kBoxes);
    const auto hits = suppresses<kOverlap>(d, winner, all, limit);
    const auto hit = hn::FindFirstTrue(d, hits);
    if (hit >= 0) return i + static_cast<std::uint32_t>(hit);
  }
  return count;
}

template <NmsOverlap kOverlap>
void vote_by(const VoteInput& input, VoteScratch& scratch, Box* moved) {
  // Kept boxes are added in rank order. So a candidate is compared only with kept candidates that
  // outrank it.
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < input.count; ++i) {
    const std::uint32_t index = input.ranked[i];
    const Box& box = input.compared[index];
    std::uint32_t joined = kept;
    if (kept < input.kept_count && input.kept[kept] == index) {
      BoxBlock& block = scratch.kept[kept / BoxBlock::kBoxes];
      const std::uint32_t lane = kept % BoxBlock::kBoxes;
      if (lane == 0) block.clear();
      block.set(lane, box, area(box));
      scratch.sums[kept++] = {};
    } else {
      joined = first_suppressor<kOverlap>(scratch.kept, kept, box, input.threshold);
      if (joined == kept) continue;
    }
    add_vote(scratch.sums[joined], input.boxes[index], input.scores[index]);
  }
  for (std::uint32_t k = 0; k < kept; ++k)
    moved[k] = voted_box(scratch.sums[k], input.boxes[input.kept[k]]);
}

void vote(const VoteInput& input, VoteScratch& scratch, Box* moved) {
  switch (input.overlap) {
    case NmsOverlap::diou:
      return vote_by<NmsOverlap::diou>(input, scratch, moved);
    case NmsOverlap::winner_area:
      return vote_by<NmsOverlap::winner_area>(input, scratch, moved);
    case NmsOverlap::smaller_area:
      return vote_by<NmsOverlap::smaller_area>(input, scratch, moved);
    case NmsOverlap::iou:
      return vote_by<NmsOverlap::iou>(input, scratch, moved);
  }
}

}  // namespace facepipe::nms::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace facepipe::nms {

HWY_EXPORT(vote);

void vote(const VoteInput& input, VoteScratch& scratch, Box* moved) {
  HWY_DYNAMIC_DISPATCH(vote)(input, scratch, moved);
}

}  // namespace facepipe::nms
#endif  // HWY_ONCE
