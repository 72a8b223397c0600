#include "nms/cpu/collect.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "nms/predicate.h"

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "nms/cpu/collect.cpp"
#include <hwy/foreach_target.h>
// Highway requires this after foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace facepipe::nms::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The bits of a positive float, read as an integer, approximate its logarithm. kLogShift drops the
// lower 12 bits. Then a 32-bit lane can add up 8,192 logarithms, and eight lanes can add up the
// logarithms of 65,536 boxes. With fewer lanes the sum may overflow. An overflow changes the size
// of the cells, but not the result.
constexpr int kLogShift = 12;

struct Totals {
  Collected found;
  std::uint64_t logs = 0;
};

// Does the same as the vector code below, for the last candidates, which don't fill a vector.
void collect_one_by_one(const Box* boxes, const float* scores, std::size_t begin, std::size_t end,
                        std::uint32_t* keys, std::uint32_t* indices, Totals& totals) {
  Collected& found = totals.found;
  for (std::size_t i = begin; i < end; ++i) {
    const Box& box = boxes[i];
    if (!valid(box.x1, box.y1, box.x2, box.y2, scores[i])) continue;
    const std::uint32_t key = rank_key(scores[i]);
    keys[found.count] = key;
    indices[found.count++] = static_cast<std::uint32_t>(i);
    found.lowest_key = std::min(found.lowest_key, key);
    found.highest_key = std::max(found.highest_key, key);
    // The centre of an infinite box may be NaN. NaN changes neither end of the range.
    found.left = lesser(found.left, box.x1 + box.x2);
    found.right = greater(found.right, box.x1 + box.x2);
    found.top = lesser(found.top, box.y1 + box.y2);
    found.bottom = greater(found.bottom, box.y1 + box.y2);
    const float side = greater(box.x2 - box.x1, box.y2 - box.y1);
    totals.logs += std::bit_cast<std::uint32_t>(side) >> kLogShift;
  }
}

std::size_t collect_vectors(const Box* boxes, const float* scores, std::size_t count,
                            std::uint32_t* keys, std::uint32_t* indices, Totals& totals) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::RebindToSigned<decltype(d)> di;
  const std::size_t lanes = hn::Lanes(d);
  if (count < lanes) return 0;

  const auto zero = hn::Zero(d);
  auto index = hn::Iota(du, 0);
  const auto step = hn::Set(du, static_cast<std::uint32_t>(lanes));
  auto low = hn::Set(du, totals.found.lowest_key);
  auto high = hn::Set(du, totals.found.highest_key);
  auto left = hn::Set(d, totals.found.left);
  auto right = hn::Set(d, totals.found.right);
  auto top = hn::Set(d, totals.found.top);
  auto bottom = hn::Set(d, totals.found.bottom);
  auto logs = hn::Zero(du);
  std::size_t out = 0;
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes, index = hn::Add(index, step)) {
    auto x1 = zero;
    auto y1 = zero;
    auto x2 = zero;
    auto y2 = zero;
    hn::LoadInterleaved4(d, &boxes[i].x1, x1, y1, x2, y2);
    const auto score = hn::LoadU(d, scores + i);
    const auto width = hn::Sub(x2, x1);
    const auto height = hn::Sub(y2, y1);
    const auto good =
        hn::And(hn::And(hn::Gt(width, zero), hn::Gt(height, zero)), hn::Eq(score, score));

    const auto bits = hn::BitCast(di, hn::Add(score, zero));  // -0 + 0 is +0
    const auto flip = hn::AndNot(hn::BroadcastSignBit(bits), hn::Set(di, 0x7FFFFFFF));
    const auto key = hn::BitCast(du, hn::Xor(bits, flip));
    // Usually all lanes are good. Then we don't need Compress, which is slow before AVX-512.
    const bool all_good = hn::AllTrue(d, good);
    const auto mask = hn::RebindMask(du, good);
    hn::StoreU(all_good ? key : hn::Compress(key, mask), du, keys + out);
    hn::StoreU(all_good ? index : hn::Compress(index, mask), du, indices + out);
    out += hn::CountTrue(d, good);

    const auto good_bits = hn::BitCast(du, hn::VecFromMask(d, good));
    low = hn::Min(low, hn::Or(key, hn::Not(good_bits)));
    high = hn::Max(high, hn::And(key, good_bits));
    const auto x = hn::Add(x1, x2);
    const auto y = hn::Add(y1, y2);
    // Comparisons with NaN are false, so NaN changes neither end of the range.
    left = hn::IfThenElse(hn::And(good, hn::Lt(x, left)), x, left);
    right = hn::IfThenElse(hn::And(good, hn::Gt(x, right)), x, right);
    top = hn::IfThenElse(hn::And(good, hn::Lt(y, top)), y, top);
    bottom = hn::IfThenElse(hn::And(good, hn::Gt(y, bottom)), y, bottom);
    const auto side = hn::BitCast(du, hn::Max(width, height));
    logs = hn::Add(logs, hn::And(hn::ShiftRight<kLogShift>(side), good_bits));
  }
  totals.found.count = static_cast<std::uint32_t>(out);
  totals.found.lowest_key = hn::GetLane(hn::MinOfLanes(du, low));
  totals.found.highest_key = hn::GetLane(hn::MaxOfLanes(du, high));
  totals.found.left = hn::GetLane(hn::MinOfLanes(d, left));
  totals.found.right = hn::GetLane(hn::MaxOfLanes(d, right));
  totals.found.top = hn::GetLane(hn::MinOfLanes(d, top));
  totals.found.bottom = hn::GetLane(hn::MaxOfLanes(d, bottom));
  HWY_ALIGN std::uint32_t sums[HWY_MAX_BYTES / sizeof(std::uint32_t)];
  hn::Store(logs, du, sums);
  for (std::size_t lane = 0; lane < lanes; ++lane) totals.logs += sums[lane];
  return i;
}

Collected collect(const Box* boxes, const float* scores, std::size_t count, std::uint32_t* keys,
                  std::uint32_t* indices) {
  constexpr float kMax = std::numeric_limits<float>::max();
  Totals totals;
  totals.found.left = totals.found.top = kMax;
  totals.found.right = totals.found.bottom = -kMax;
  const std::size_t done = collect_vectors(boxes, scores, count, keys, indices, totals);
  collect_one_by_one(boxes, scores, done, count, keys, indices, totals);
  Collected& found = totals.found;
  found.left /= 2;
  found.right /= 2;
  found.top /= 2;
  found.bottom /= 2;
  if (found.count > 0) {
    const auto mean = static_cast<std::uint32_t>(totals.logs / found.count);
    found.usual_side = std::bit_cast<float>(mean << kLogShift);
  }
  return found;
}

}  // namespace facepipe::nms::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace facepipe::nms {

HWY_EXPORT(collect);

std::uint32_t rank_key(float score) {
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);  // -0 + 0 is +0
  return (bits >> 31) != 0 ? bits : bits ^ 0x7FFFFFFFU;
}

Collected collect(const Box* boxes, const float* scores, std::size_t count, std::uint32_t* keys,
                  std::uint32_t* indices) {
  return HWY_DYNAMIC_DISPATCH(collect)(boxes, scores, count, keys, indices);
}

}  // namespace facepipe::nms
#endif  // HWY_ONCE
