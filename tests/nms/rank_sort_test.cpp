// These tests check ranks: the order of keys, and sorting by keys.
#include "nms/cpu/rank_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "nms/cpu/collect.h"
#include "tests/support/nms_cases.h"

namespace facepipe::nms {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kTiny = std::numeric_limits<float>::denorm_min();

TEST(RankKey, AscendsAsScoresDescend) {
  const std::vector<float> falling{kInf, 3e38F,  1.5F,   1,  0.999F, 1e-30F, kTiny,
                                   0,    -kTiny, -1e-3F, -1, -7,     -kInf};
  for (std::size_t i = 1; i < falling.size(); ++i)
    EXPECT_LT(rank_key(falling[i - 1]), rank_key(falling[i])) << falling[i];
  EXPECT_EQ(rank_key(-0.0F), rank_key(0.0F));
}

// Keys have 1 to 32 bits. The counts are around each number at which the sorting method changes.
TEST(RankSort, IsStableForAnyRangeAndCount) {
  constexpr std::uint32_t kCapacity = 20000;
  Arena counting;
  const RankSort counted(counting, kCapacity);
  std::vector<std::byte> block(counting.used() + Arena::kAlignment);
  void* begin = block.data();
  std::size_t space = block.size();
  Arena arena(
      static_cast<std::byte*>(std::align(Arena::kAlignment, counting.used(), begin, space)));
  RankSort sorter(arena, kCapacity);

  for (const std::uint32_t count : {0U, 1U, 2U, 24U, 25U, 300U, 5000U, kCapacity})
    for (int bits = 0; bits <= 32; ++bits) {
      test::NmsRandom random(static_cast<unsigned>(bits) + count);
      const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
      std::vector<std::uint32_t> keys(count);
      std::vector<std::uint32_t> values(count);
      for (std::uint32_t i = 0; i < count; ++i) {
        keys[i] = random.below(0xFFFFFFFF) & mask;
        values[i] = count - i;
      }
      std::vector<std::uint32_t> expected(count);
      for (std::uint32_t i = 0; i < count; ++i) expected[i] = i;
      std::stable_sort(expected.begin(), expected.end(),
                       [&](auto a, auto b) { return keys[a] < keys[b]; });
      for (auto& place : expected) place = values[place];
      std::vector<std::uint32_t> sorted(count);
      sorter.sort(keys.data(), values.data(), count, 0, mask, sorted.data());
      ASSERT_EQ(sorted, expected) << count << " of " << bits << " bits";
    }
}

}  // namespace
}  // namespace facepipe::nms
