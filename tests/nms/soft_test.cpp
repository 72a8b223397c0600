// These tests compare Soft-NMS with the published definition, and check small cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/nms/on_cpu.h"
#include "tests/support/nms_oracle.h"

namespace facepipe::test {
namespace {

using testing::ElementsAre;

nms::NmsOptions soft(nms::SoftDecay decay, float min_score = 0.02F) {
  nms::NmsOptions options = by_rule(nms::NmsRule::soft);
  options.soft.decay = decay;
  options.soft.min_score = min_score;
  return options;
}

TEST(SoftNms, SelectsAsPublished) {
  for (const nms::SoftDecay decay : {nms::SoftDecay::linear, nms::SoftDecay::gaussian})
    for (const std::size_t count : {1U, 33U, 257U, 700U})
      for (const NmsCase& all :
           {whole_clusters(count, 30, 1U << 20), wide_faces(count), crowd(count)}) {
        const NmsAnswer answer = on_cpu(soft(decay), all);
        EXPECT_EQ(
            wrong_in_soft_nms(soft(decay), all.boxes, all.scores, answer.indices, answer.scores),
            "")
            << all.name << ' ' << count;
      }
}

TEST(SoftNms, ScoresFallByTheOverlap) {
  // The second box has the IoU 1/2 with the first, and the third has 0.
  const NmsCase all{"", {{0, 0, 10, 10}, {0, 0, 10, 5}, {50, 50, 60, 60}}, {0.9F, 0.8F, 0.3F}};
  const NmsAnswer linear = on_cpu(soft(nms::SoftDecay::linear), all);
  EXPECT_THAT(linear.indices, ElementsAre(0, 1, 2));
  EXPECT_THAT(linear.scores, ElementsAre(0.9F, 0.4F, 0.3F));
  const NmsAnswer gaussian = on_cpu(soft(nms::SoftDecay::gaussian), all);
  EXPECT_THAT(gaussian.scores, ElementsAre(0.9F, testing::FloatEq(0.8F * std::exp(-0.5F)), 0.3F));
}

TEST(SoftNms, ADecayedScoreLosesItsRank) {
  const NmsCase all{"", {{0, 0, 10, 10}, {0, 0, 10, 9}, {50, 50, 60, 60}}, {0.9F, 0.8F, 0.3F}};
  EXPECT_THAT(on_cpu(soft(nms::SoftDecay::linear), all).indices, ElementsAre(0, 2, 1));
}

TEST(SoftNms, SelectsDownToTheLeastScoreInclusive) {
  const NmsCase all{"", {{0, 0, 10, 10}, {0, 0, 10, 5}, {50, 50, 60, 60}}, {0.9F, 0.8F, 0.3F}};
  EXPECT_THAT(on_cpu(soft(nms::SoftDecay::linear, 0.4F), all).indices, ElementsAre(0, 1));
  EXPECT_THAT(on_cpu(soft(nms::SoftDecay::linear, 0.41F), all).indices, ElementsAre(0));
  EXPECT_THAT(on_cpu(soft(nms::SoftDecay::linear, 0.91F), all).indices, ElementsAre());
}

TEST(SoftNms, LinearLeavesOverlapsUpToTheThreshold) {
  nms::NmsOptions options = soft(nms::SoftDecay::linear);
  options.threshold = 0.5F;
  const NmsCase all{"", {{0, 0, 10, 10}, {0, 0, 10, 5}}, {0.9F, 0.8F}};
  EXPECT_THAT(on_cpu(options, all).scores, ElementsAre(0.9F, 0.8F));
}

TEST(SoftNms, TiesGoToTheLowerIndex) {
  const NmsCase all = disjoint(500);
  const NmsCase same{"", all.boxes, std::vector<float>(500, 0.5F)};
  const NmsAnswer answer = on_cpu(soft(nms::SoftDecay::gaussian), same);
  for (std::uint32_t i = 0; i < 500; ++i) EXPECT_EQ(answer.indices[i], i);
}

TEST(SoftNms, AnInfiniteScoreThatDecaysToNothingIsNotSelected) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const NmsCase all{"", {{0, 0, 10, 10}, {0, 0, 10, 10}}, {kInf, kInf}};
  EXPECT_THAT(on_cpu(soft(nms::SoftDecay::linear), all).indices, ElementsAre(0));
}

}  // namespace
}  // namespace facepipe::test
