// These tests compare reference scores with those of sorted lists.
#include "app/model_check/false_positives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

namespace facepipe::app {
namespace {

TEST(FalsePositives, ADetectionIsFalseIfItTouchesNoFace) {
  const std::vector<Box> faces{{100, 100, 140, 150}, {300, 100, 310, 110}};
  EXPECT_TRUE(is_false_positive({0, 0, 40, 40}, faces));
  EXPECT_TRUE(is_false_positive({140, 100, 180, 150}, faces)) << "they have an edge in common";
  EXPECT_TRUE(is_false_positive({100, 150, 140, 190}, faces));
  EXPECT_FALSE(is_false_positive({139.5F, 100, 180, 150}, faces));
  EXPECT_FALSE(is_false_positive({110, 110, 130, 130}, faces));
  EXPECT_FALSE(is_false_positive({0, 0, 500, 500}, faces));
  EXPECT_TRUE(is_false_positive({0, 0, 500, 500}, {}));
}

TEST(FalsePositives, SmallDetectionsDoNotCount) {
  EXPECT_TRUE(is_false_positive({0, 0, 16, 16}, {}));
  EXPECT_TRUE(is_false_positive({0, 0, 8, 32}, {}));
  EXPECT_FALSE(is_false_positive({0, 0, 16, 15.9F}, {}));
  EXPECT_FALSE(is_false_positive({5, 5, 5, 90}, {}));
}

TEST(FalsePositives, OneInEachPictureReachesTheScore) {
  const Box face{100, 100, 140, 150};
  std::minstd_rand random(7);
  std::uniform_real_distribution<float> unit(0, 1);
  for (const std::size_t pictures : {1U, 2U, 10U, 100U}) {
    FalsePositives counted(pictures);
    std::vector<float> all;
    EXPECT_EQ(counted.reference_score(), std::nullopt);
    for (std::size_t i = 0; i < pictures; ++i) {
      Detections found;
      for (int k = 0; k < 3; ++k) {
        all.push_back(unit(random));
        found.push_back({0, 0, 30, 30}, all.back());
        found.push_back(face, 0.99F);  // these don't count
        found.push_back({0, 0, 9, 9}, 0.98F);
      }
      counted.add(found, std::vector<Box>{face});
    }
    std::ranges::sort(all, std::greater<>());
    EXPECT_EQ(counted.reference_score(), all[pictures - 1]) << pictures;
  }
}

TEST(FalsePositives, TooFewOfThemGiveNoScore) {
  FalsePositives counted(2);
  Detections found;
  found.push_back({0, 0, 30, 30}, 0.5F);
  counted.add(found, {});
  EXPECT_EQ(counted.reference_score(), std::nullopt);
  counted.add(found, {});
  EXPECT_EQ(counted.reference_score(), 0.5F);
}

}  // namespace
}  // namespace facepipe::app
