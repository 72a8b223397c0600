#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "nms/agreement.h"
#include "tests/nms/group_cases.h"

namespace facepipe::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

// The first box has 9x10 pixels. If it is moved by 3, the IoU is 60/120, which isn't enough. If it
// is moved by 1 or 2, the IoU is 80/100 or 70/110.
TEST(MeasureAgreement, AddsWhatOverlapsByMoreThanHalf) {
  const auto exact = [](double iou) { return std::floor(iou * 32768) / 32768; };
  const std::vector<Box> boxes{{0, 0, 9, 10}, {3, 0, 12, 10}, {2, 0, 11, 10}, {0, 5, 9, 15}};
  const double by_one = exact(0.8);
  const double by_two = exact(70.0 / 110);
  EXPECT_THAT(nms::measure_agreement(boxes),
              ElementsAre(static_cast<float>(1 + by_two), static_cast<float>(1 + by_one),
                          static_cast<float>(1 + by_one + by_two), 1.0F));
}

TEST(MeasureAgreement, OfNoneIsNone) { EXPECT_THAT(nms::measure_agreement({}), IsEmpty()); }

TEST(MeasureAgreement, BoxesThatAreNoneHaveNone) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(nms::measure_agreement(std::vector<Box>{
                  {0, 0, kNan, 9}, {0, 0, 9, 9}, {0, 0, 1e30F, 9}, {0, 0, 0.25F, 9}, {0, 0, 9, 9}}),
              ElementsAre(0, 2, 0, 0, 2));
}

TEST(MeasureAgreement, IsThatOfThePlainLoops) {
  for (unsigned seed = 1; seed <= 60; ++seed)
    for (const std::size_t count : {1U, 12U, 80U, 400U}) {
      const NmsCase all = similar_clusters(count, seed % 2 == 0 ? 1 : 0.25F, seed);
      EXPECT_EQ(nms::measure_agreement(all.boxes), oracle_agreement(all.boxes))
          << count << " boxes of seed " << seed;
    }
  for (const NmsCase& all : {degenerate(500), wide_faces(500), torchvision_random(500, 0.5F)})
    EXPECT_EQ(nms::measure_agreement(all.boxes), oracle_agreement(all.boxes)) << all.name;
}

// The boxes differ only a little, and all agree with each other, so every pair must be compared.
TEST(MeasureAgreement, EndsWhereAllAgree) {
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
  EXPECT_THAT(nms::measure_agreement(boxes),
              Each(testing::AllOf(testing::Gt(0.6F * kCount), testing::Lt(1.0F * kCount))));
}

TEST(MeasureAgreement, TakesTheLargestCapacity) {
  EXPECT_THAT(nms::measure_agreement(disjoint(nms::kMaxNmsCapacity).boxes), Each(1));
  EXPECT_THAT(nms::measure_agreement(identical(nms::kMaxNmsCapacity).boxes),
              Each(nms::kMaxNmsCapacity));
}

}  // namespace
}  // namespace facepipe::test
