#include "nms/cpu/soft.h"

#include <cstddef>
#include <limits>

#include "nms/predicate.h"

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "nms/cpu/soft.cpp"
#include <hwy/foreach_target.h>
// Highway requires this after foreach_target.h.
#include <hwy/highway.h>

#include "nms/cpu/overlap-inl.h"

HWY_BEFORE_NAMESPACE();
namespace facepipe::nms::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, 16>;
using LanesV = hn::Vec<Lanes>;
using Entries = hn::RebindToUnsigned<Lanes>;
using EntriesV = hn::Vec<Entries>;

constexpr float kDead = -1;
constexpr std::uint32_t kPadding = 16;

// Computes what exp_minus() of predicate.h computes, operation by operation. x must not be NaN.
HWY_INLINE LanesV exp_minus(LanesV x) {
  const Lanes d;
  const hn::RebindToSigned<Lanes> di;
  const auto set = [](float value) HWY_ATTR { return hn::Set(Lanes(), value); };
  const auto tiny = hn::Ge(x, set(87.0F));
  const LanesV bounded = hn::IfThenZeroElse(tiny, x);
  const auto halvings = hn::ConvertTo(di, hn::Add(hn::Mul(bounded, set(1.44269504F)), set(0.5F)));
  const LanesV whole = hn::ConvertTo(d, halvings);
  const LanesV r = hn::Add(hn::Sub(hn::Mul(whole, set(0.693359375F)), bounded),
                           hn::Mul(whole, set(-2.12194440e-4F)));
  LanesV sum = set(1.9875691500e-4F);
  for (const float coefficient :
       {1.3981999507e-3F, 8.3334519073e-3F, 4.1665795894e-2F, 1.6666665459e-1F, 5.0000001201e-1F})
    sum = hn::Add(hn::Mul(sum, r), set(coefficient));
  sum = hn::Add(hn::Add(hn::Mul(sum, hn::Mul(r, r)), r), set(1.0F));
  const auto bits = hn::ShiftLeft<23>(hn::Sub(hn::Set(di, 127), halvings));
  return hn::IfThenZeroElse(tiny, hn::Mul(sum, hn::BitCast(d, bits)));
}

/// Computes decayed() of predicate.h, with linear_decay() or gaussian_decay(). Returns `score`
/// itself in lanes whose decay is 1.
template <SoftDecay kDecay>
HWY_INLINE LanesV decayed(LanesV score, LanesV iou, float threshold, float sigma) {
  const Lanes d;
  const auto decays =
      hn::Gt(iou, kDecay == SoftDecay::linear ? hn::Set(d, threshold) : hn::Zero(d));
  const LanesV safe = hn::IfThenElseZero(decays, iou);  // contains no NaN
  LanesV decay = hn::Zero(d);
  if constexpr (kDecay == SoftDecay::linear)
    decay = hn::Sub(hn::Set(d, 1.0F), safe);
  else
    decay = exp_minus(hn::Div(hn::Mul(safe, safe), hn::Set(d, sigma)));
  const LanesV product = hn::Mul(score, decay);
  const LanesV result = hn::IfThenElseZero(hn::Eq(product, product), product);
  return hn::IfThenElse(decays, result, score);
}

/// Holds the highest score and the first entry that has it.
struct Best {
  float score;
  std::uint32_t entry;
};

/// Finds the best entry: first in each lane, then in all lanes.
class BestOfLanes {
 public:
  HWY_INLINE BestOfLanes() : score_(hn::Set(Lanes(), kDead)), entry_(hn::Zero(Entries())) {}

  HWY_INLINE void compare(LanesV score, std::uint32_t first_entry) {
    const Entries du;
    // The comparison is strict, so that the first of several entries with equal scores remains.
    const auto higher = hn::Gt(score, score_);
    score_ = hn::IfThenElse(higher, score, score_);
    entry_ = hn::IfThenElse(hn::RebindMask(du, higher), hn::Iota(du, first_entry), entry_);
  }
  [[nodiscard]] HWY_INLINE Best best() const {
    const Lanes d;
    const Entries du;
    const LanesV highest = hn::MaxOfLanes(d, score_);
    const auto has_it = hn::RebindMask(du, hn::Eq(score_, highest));
    const EntriesV entries = hn::IfThenElse(has_it, entry_, hn::Set(du, ~std::uint32_t{0}));
    return {hn::GetLane(highest), hn::GetLane(hn::MinOfLanes(du, entries))};
  }

 private:
  LanesV score_;
  EntriesV entry_;
};

HWY_INLINE Best find_best(const SoftScratch& live, std::uint32_t count) {
  const Lanes d;
  BestOfLanes best;
  for (std::uint32_t i = 0; i < count; i += static_cast<std::uint32_t>(hn::Lanes(d)))
    best.compare(hn::Load(d, live.score + i), i);
  return best.best();
}

/// Decays the scores of all entries that overlap the entry `selected`, whose own score is already
/// kDead. Returns the best remaining entry.
template <SoftDecay kDecay>
HWY_INLINE Best decay_and_find_best(const SoftInput& input, SoftScratch& live, std::uint32_t count,
                                    std::uint32_t selected) {
  const Lanes d;
  const Boxes<LanesV> winner{hn::Set(d, live.x1[selected]), hn::Set(d, live.y1[selected]),
                             hn::Set(d, live.x2[selected]), hn::Set(d, live.y2[selected]),
                             hn::Set(d, live.area[selected])};
  BestOfLanes best;
  for (std::uint32_t i = 0; i < count; i += static_cast<std::uint32_t>(hn::Lanes(d))) {
    LanesV score = hn::Load(d, live.score + i);
    const Boxes<LanesV> loser = boxes_at(d, live, i);
    const LanesV inter = signed_intersection(d, winner, loser);
    if (!hn::AllFalse(d, hn::Gt(inter, hn::Zero(d)))) {
      const LanesV iou = hn::Div(inter, union_of(inter, winner.area, loser.area));
      score = decayed<kDecay>(score, iou, input.threshold, input.options.sigma);
      hn::Store(score, d, live.score + i);
    }
    best.compare(score, i);
  }
  return best.best();
}

/// Removes dead entries, keeps the order of the live entries, and pads them to whole vectors.
/// Returns the number of live entries.
std::uint32_t compact(SoftScratch& live, std::uint32_t count, float min_score) {
  std::uint32_t out = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!(live.score[i] >= min_score)) continue;
    live.x1[out] = live.x1[i];
    live.y1[out] = live.y1[i];
    live.x2[out] = live.x2[i];
    live.y2[out] = live.y2[i];
    live.area[out] = live.area[i];
    live.score[out] = live.score[i];
    live.index[out] = live.index[i];
    ++out;
  }
  for (std::uint32_t i = out; i < out + kPadding; ++i) {
    live.x1[i] = live.y1[i] = live.x2[i] = live.y2[i] = live.area[i] = 0;
    live.score[i] = kDead;
  }
  return out;
}

std::uint32_t load(const SoftInput& input, SoftScratch& live) {
  for (std::uint32_t i = 0; i < input.count; ++i) {
    const std::uint32_t index = input.indices[i];
    const Box& box = input.boxes[index];
    live.x1[i] = box.x1;
    live.y1[i] = box.y1;
    live.x2[i] = box.x2;
    live.y2[i] = box.y2;
    live.area[i] = area(box);
    live.score[i] = input.scores[index];
    live.index[i] = index;
  }
  return compact(live, input.count, input.options.min_score);
}

template <SoftDecay kDecay>
std::uint32_t soften_by(const SoftInput& input, SoftScratch& live, std::uint32_t* selected,
                        float* scores) {
  // A dead entry takes as long as a live entry, so entries are compacted when an eighth of them is
  // dead.
  constexpr std::uint32_t kShareOfDead = 8;
  std::uint32_t count = load(input, live);
  std::uint32_t dead = 0;
  std::uint32_t out = 0;
  Best best = find_best(live, count);
  while (best.score >= input.options.min_score) {
    selected[out] = live.index[best.entry];
    scores[out++] = best.score;
    live.score[best.entry] = kDead;
    best = decay_and_find_best<kDecay>(input, live, count, best.entry);
    if (++dead * kShareOfDead <= count) continue;
    count = compact(live, count, input.options.min_score);
    dead = 0;
    best = find_best(live, count);
  }
  return out;
}

std::uint32_t soften(const SoftInput& input, SoftScratch& live, std::uint32_t* selected,
                     float* scores) {
  return input.options.decay == SoftDecay::linear
             ? soften_by<SoftDecay::linear>(input, live, selected, scores)
             : soften_by<SoftDecay::gaussian>(input, live, selected, scores);
}

}  // namespace facepipe::nms::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace facepipe::nms {

HWY_EXPORT(soften);

SoftScratch::SoftScratch(Arena& arena, std::uint32_t capacity) {
  const std::size_t entries = std::size_t{capacity} + 16;  // padded by a vector
  for (float** lane : {&x1, &y1, &x2, &y2, &area, &score}) *lane = arena.take<float>(entries);
  index = arena.take<std::uint32_t>(entries);
}

std::uint32_t soften(const SoftInput& input, SoftScratch& live, std::uint32_t* selected,
                     float* scores) {
  return HWY_DYNAMIC_DISPATCH(soften)(input, live, selected, scores);
}

}  // namespace facepipe::nms
#endif  // HWY_ONCE
