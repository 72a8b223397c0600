// These tests compare mapped scores with numbers that were computed by hand.
#include "core/score_scale.h"

#include <gtest/gtest.h>

namespace facepipe {
namespace {

constexpr float kReferences[]{0.000001F, 0.05F, 0.1F, 0.24F, 0.29F, 0.38F, 0.9F, 0.999999F};

TEST(ScoreScale, TheUsualScaleIsKeptBitForBit) {
  for (const ScoreScale& scale : {ScoreScale(), ScoreScale(0.21F)})
    for (int i = -10; i <= 1010; ++i) {
      const float score = static_cast<float>(i) / 1000;
      EXPECT_EQ(scale.own(score), score);
      EXPECT_EQ(scale.usual(score), score);
    }
}

TEST(ScoreScale, LowScoresArePowers) {
  const ScoreScale squares(0.0441F);  // 0.21^2
  EXPECT_NEAR(squares.own(0.1F), 0.01F, 1e-6);
  EXPECT_NEAR(squares.own(0.2F), 0.04F, 1e-6);
  EXPECT_NEAR(squares.usual(0.0001F), 0.01F, 1e-6);
  const ScoreScale roots(0.458257569F);  // the root of 0.21
  EXPECT_NEAR(roots.own(0.04F), 0.2F, 1e-6);
  EXPECT_NEAR(roots.own(0.01F), 0.1F, 1e-6);
  EXPECT_NEAR(roots.usual(0.3F), 0.09F, 1e-6);
}

TEST(ScoreScale, HighScoresLieOnALineToOne) {
  const ScoreScale lower(0.0441F);  // (1 - 0.0441) / (1 - 0.21) = 1.21
  EXPECT_NEAR(lower.own(0.605F), 1 - 0.395F * 1.21F, 1e-6);
  EXPECT_NEAR(lower.usual(1 - 0.395F * 1.21F), 0.605F, 1e-6);
  const ScoreScale higher(0.605F);  // the middle between 0.21 and 1
  EXPECT_NEAR(higher.own(0.605F), 0.8025F, 1e-6);
}

TEST(ScoreScale, ThreePointsAreFixed) {
  for (const float reference : kReferences) {
    const ScoreScale scale(reference);
    EXPECT_EQ(scale.own(0), 0) << reference;
    EXPECT_EQ(scale.own(0.21F), reference);
    EXPECT_EQ(scale.own(1), 1) << reference;
    EXPECT_EQ(scale.usual(0), 0) << reference;
    EXPECT_FLOAT_EQ(scale.usual(reference), 0.21F);
    EXPECT_EQ(scale.usual(1), 1) << reference;
  }
}

TEST(ScoreScale, AHigherScoreStaysHigher) {
  for (const float reference : kReferences) {
    const ScoreScale scale(reference);
    for (int i = 1; i <= 10'000; ++i) {
      const float low = static_cast<float>(i - 1) / 10'000;
      const float high = static_cast<float>(i) / 10'000;
      EXPECT_LE(scale.own(low), scale.own(high)) << reference;
      EXPECT_LE(scale.usual(low), scale.usual(high)) << reference;
    }
  }
}

TEST(ScoreScale, TheWayBackLeadsToTheSameScore) {
  for (const float reference : {0.05F, 0.1F, 0.24F, 0.29F, 0.38F, 0.9F}) {
    const ScoreScale scale(reference);
    for (int i = 1; i < 100; ++i) {
      const float score = static_cast<float>(i) / 100;
      // Floats near 1 are 6e-8 apart; the map is at most 25 times as steep here.
      EXPECT_NEAR(scale.usual(scale.own(score)), score, 2e-6) << reference;
    }
  }
}

}  // namespace
}  // namespace facepipe
