// These tests check box voting: which candidate votes for which kept box, and the mean of their
// boxes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/nms/on_cpu.h"
#include "tests/support/nms_oracle.h"

namespace facepipe::test {
namespace {

using testing::ElementsAre;

nms::NmsOptions voting(nms::NmsRule rule, float threshold = 0.3F) {
  nms::NmsOptions options = by_rule(rule, threshold);
  options.voting = true;
  return options;
}

TEST(BoxVoting, WeighsByScore) {
  const NmsCase all{"", {{0, 0, 10, 10}, {4, 0, 14, 10}}, {0.75F, 0.25F}};
  EXPECT_THAT(on_cpu(voting(nms::NmsRule::greedy), all).boxes, ElementsAre(Box{1, 0, 11, 10}));
}

TEST(BoxVoting, JoinsTheHighestRankedSuppressor) {
  // The last box overlaps each of the first two by 3/7. The first two overlap each other by 1/9.
  const NmsCase all{"", {{0, 0, 10, 10}, {8, 0, 18, 10}, {4, 0, 14, 10}}, {0.5F, 0.6F, 0.1F}};
  const NmsAnswer answer = on_cpu(voting(nms::NmsRule::greedy), all);
  EXPECT_THAT(answer.indices, ElementsAre(1, 0));
  EXPECT_EQ(answer.boxes[1], all.boxes[0]);
  EXPECT_LT(answer.boxes[0].x1, 8.0F);
}

TEST(BoxVoting, OfWhatFellToARemovedOneAloneNoneIsJoined) {
  // By the rule fast, the second box removes the third, although the second is removed itself. The
  // first box doesn't overlap the third.
  const NmsCase all{
      "", {{0, 0, 100, 100}, {40, 0, 140, 100}, {80, 0, 180, 100}}, {0.5F, 0.25F, 0.125F}};
  const NmsAnswer answer = on_cpu(voting(nms::NmsRule::fast), all);
  EXPECT_THAT(answer.indices, ElementsAre(0));
  EXPECT_FLOAT_EQ(answer.boxes[0].x1, 40.0F / 3);
}

TEST(BoxVoting, ScoresOfNothingWeighNothing) {
  const NmsCase all{"", {{0, 0, 10, 10}, {1, 0, 11, 10}, {2, 0, 12, 10}}, {0.0F, -0.5F, -1.0F}};
  EXPECT_THAT(on_cpu(voting(nms::NmsRule::greedy), all).boxes, ElementsAre(all.boxes[0]));
}

TEST(BoxVoting, AnInfiniteWeightLeavesTheBox) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const NmsCase all{"", {{0, 0, 10, 10}, {1, 0, 11, 10}}, {kInf, 0.5F}};
  EXPECT_THAT(on_cpu(voting(nms::NmsRule::greedy), all).boxes, ElementsAre(all.boxes[0]));
}

TEST(BoxVoting, DoesNotChangeWhatIsKept) {
  for (const nms::NmsRule rule : {nms::NmsRule::greedy, nms::NmsRule::matrix, nms::NmsRule::fast}) {
    const NmsCase all = wide_faces(900);
    EXPECT_EQ(on_cpu(voting(rule), all).indices, kept_on_cpu(by_rule(rule), all));
    EXPECT_TRUE(on_cpu(by_rule(rule), all).boxes.empty());
  }
}

TEST(BoxVoting, EqualsTheOracle) {
  for (const nms::NmsRule rule : {nms::NmsRule::greedy, nms::NmsRule::fast})
    for (const nms::NmsOverlap overlap :
         {nms::NmsOverlap::iou, nms::NmsOverlap::winner_area, nms::NmsOverlap::smaller_area}) {
      nms::NmsOptions options = voting(rule);
      options.overlap = overlap;
      const NmsCase all = whole_clusters(600, 40, 1000);
      const NmsAnswer answer = on_cpu(options, all);
      const auto expected = NmsOracle(options, all.boxes, all.scores).voted(answer.indices);
      ASSERT_EQ(answer.boxes.size(), expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        EXPECT_NEAR(answer.boxes[k].x1, expected[k].x1, 2e-3);
        EXPECT_NEAR(answer.boxes[k].y1, expected[k].y1, 2e-3);
        EXPECT_NEAR(answer.boxes[k].x2, expected[k].x2, 2e-3);
        EXPECT_NEAR(answer.boxes[k].y2, expected[k].y2, 2e-3);
      }
    }
}

}  // namespace
}  // namespace facepipe::test
