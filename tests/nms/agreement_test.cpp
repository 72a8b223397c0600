// Counts of similar boxes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "nms/agreement.h"
#include "tests/nms/group_cases.h"

namespace facepipe::test {
namespace {

using nms::count_similar;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(CountSimilar, CountsItselfAndWhatIsSimilar) {
  // Edges of the small ones may differ by 2, and by no more than 2 from the large one's.
  const std::vector<Box> boxes{{0, 0, 10, 10}, {2, 0, 12, 10}, {4, 0, 14, 10}, {0, 0, 13, 10}};
  EXPECT_THAT(count_similar(boxes), ElementsAre(2, 4, 2, 2));
}

TEST(CountSimilar, OfNoneIsNone) { EXPECT_THAT(count_similar({}), IsEmpty()); }

TEST(CountSimilar, BoxesThatAreNoneHaveNone) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(count_similar(std::vector<Box>{
                  {0, 0, kNan, 9}, {0, 0, 9, 9}, {0, 0, 1e30F, 9}, {0, 0, 0.25F, 9}, {0, 0, 9, 9}}),
              ElementsAre(0, 2, 0, 0, 2));
}

TEST(CountSimilar, IsThatOfThePlainLoops) {
  for (unsigned seed = 1; seed <= 60; ++seed)
    for (const std::size_t count : {1U, 12U, 80U, 400U}) {
      const NmsCase all = similar_clusters(count, seed % 2 == 0 ? 1 : 0.25F, seed);
      EXPECT_EQ(count_similar(all.boxes), oracle_counts(all.boxes))
          << count << " boxes of seed " << seed;
    }
  for (const NmsCase& all : {degenerate(500), wide_faces(500), torchvision_random(500, 0.5F)})
    EXPECT_EQ(count_similar(all.boxes), oracle_counts(all.boxes)) << all.name;
}

// Different boxes of one place, of which each is similar to each: each pair is looked at.
TEST(CountSimilar, EndsWhereAllAreSimilar) {
  constexpr unsigned kCount = 20000;
  std::vector<Box> boxes;
  for (unsigned i = 0; i < kCount; ++i) {
    const auto x = static_cast<float>(i % 20);
    const auto y = static_cast<float>(i / 20 % 20);
    const auto width = static_cast<float>(200 + i / 400 % 10);
    const unsigned taller = i / 4000;
    const auto height = static_cast<float>(200 + taller);
    boxes.push_back({x, y, x + width, y + height});
  }
  EXPECT_THAT(count_similar(boxes), Each(kCount));
}

TEST(CountSimilar, TakesTheLargestCapacity) {
  EXPECT_THAT(count_similar(disjoint(kMaxNmsCapacity).boxes), Each(1));
  EXPECT_THAT(count_similar(identical(kMaxNmsCapacity).boxes), Each(kMaxNmsCapacity));
}

}  // namespace
}  // namespace facepipe::test
