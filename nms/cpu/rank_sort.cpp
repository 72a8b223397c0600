#include "nms/cpu/rank_sort.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace facepipe::nms {
namespace {

// Measurements show that insertion sort is faster for up to this many pairs.
constexpr std::uint32_t kFewPairs = 24;

}  // namespace

RankSort::RankSort(Arena& arena, std::uint32_t capacity)
    : pairs_(arena.take<std::uint64_t>(capacity)),
      other_(arena.take<std::uint64_t>(capacity)),
      begins_(arena.take<std::uint32_t>(std::size_t{kMaxPasses} << kMaxDigitBits)) {}

// Sorts by insertion. The sort is stable: pairs with equal keys keep their order.
void RankSort::sort_few(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t count,
                        std::uint32_t* sorted) {
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t at = i;
    for (; at > 0 && (pairs_[at - 1] >> 32) > keys[i]; --at) {
      pairs_[at] = pairs_[at - 1];
      sorted[at] = sorted[at - 1];
    }
    pairs_[at] = std::uint64_t{keys[i]} << 32;
    sorted[at] = values[i];
  }
}

// The cost is an estimate: one pass over a candidate takes about as long as the work for two
// counters.
RankSort::Digits RankSort::choose_digits(std::uint32_t range, std::uint32_t count) {
  const auto width = static_cast<std::uint32_t>(std::bit_width(range));
  Digits best{0, 0};
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t passes = 1; passes <= kMaxPasses; ++passes) {
    const std::uint32_t bits = (width + passes - 1) / passes;
    if (bits > kMaxDigitBits) continue;
    const std::uint64_t cost = passes * (2 * std::uint64_t{count} + (std::uint64_t{1} << bits));
    if (cost >= least) continue;
    least = cost;
    best = {passes, bits};
  }
  return best;
}

void RankSort::count_digits(const std::uint32_t* keys, std::uint32_t count, std::uint32_t lowest,
                            Digits digits) {
  const std::size_t size = std::size_t{1} << digits.bits;
  const auto mask = static_cast<std::uint32_t>(size - 1);
  std::fill_n(begins_, size * digits.passes, 0U);
  for (std::uint32_t pass = 0; pass < digits.passes; ++pass) {
    std::uint32_t* begins = begins_ + size * pass;
    const std::uint32_t shift = pass * digits.bits;
    for (std::uint32_t i = 0; i < count; ++i) ++begins[(keys[i] - lowest) >> shift & mask];
    std::uint32_t sum = 0;
    for (std::size_t digit = 0; digit < size; ++digit) sum += std::exchange(begins[digit], sum);
  }
}

void RankSort::sort(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t count,
                    std::uint32_t lowest, std::uint32_t highest, std::uint32_t* sorted) {
  if (count <= kFewPairs) {
    sort_few(keys, values, count, sorted);
    return;
  }
  if (lowest == highest) {
    std::copy_n(values, count, sorted);
    return;
  }
  const Digits digits = choose_digits(highest - lowest, count);
  const auto mask = (1U << digits.bits) - 1;
  count_digits(keys, count, lowest, digits);
  std::uint64_t* from = pairs_;
  std::uint64_t* into = other_;
  // The first pass makes pairs of keys and values. The last pass writes only values.
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t key = keys[i] - lowest;
    from[begins_[key & mask]++] = key << 32 | values[i];
  }
  for (std::uint32_t pass = 1; pass < digits.passes; ++pass) {
    std::uint32_t* begins = begins_ + (std::size_t{pass} << digits.bits);
    const std::uint32_t shift = 32 + pass * digits.bits;
    if (pass + 1 == digits.passes) {
      for (std::uint32_t i = 0; i < count; ++i)
        sorted[begins[from[i] >> shift & mask]++] = static_cast<std::uint32_t>(from[i]);
      return;
    }
    for (std::uint32_t i = 0; i < count; ++i) into[begins[from[i] >> shift & mask]++] = from[i];
    std::swap(from, into);
  }
  for (std::uint32_t i = 0; i < count; ++i) sorted[i] = static_cast<std::uint32_t>(from[i]);
}

}  // namespace facepipe::nms
