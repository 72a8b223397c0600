// These tests check the limits of the contract in nms.h, case by case.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tests/nms/on_cpu.h"
#include "tests/support/nms_oracle.h"

namespace facepipe::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kHuge = std::numeric_limits<float>::max();

std::vector<std::uint32_t> greedy(std::vector<Box> boxes, std::vector<float> scores,
                                  float threshold) {
  return greedy_on_cpu({"", std::move(boxes), std::move(scores)}, threshold);
}

// Box A suppresses box B, and B suppresses box C, but A doesn't suppress C.
const NmsCase& three() {
  static const NmsCase chain{
      "three", {{0, 0, 100, 100}, {40, 0, 140, 100}, {80, 0, 180, 100}}, {0.9F, 0.8F, 0.7F}};
  return chain;
}

TEST(NmsCases, GreedyKeepsWhatOnlyARemovedOneOverlaps) {
  EXPECT_THAT(greedy_on_cpu(three(), 0.3F), ElementsAre(0, 2));
}

// Oro et al. claim that the rule matrix gives the same result as greedy suppression. It doesn't.
TEST(NmsCases, MatrixAndFastLetARemovedOneSuppress) {
  EXPECT_THAT(kept_on_cpu(by_rule(nms::NmsRule::matrix), three()), ElementsAre(0));
  EXPECT_THAT(kept_on_cpu(by_rule(nms::NmsRule::fast), three()), ElementsAre(0));
}

// These are the same three boxes with the overlap as the paper defines it: boxes become squares
// with sides of z + 1 pixels. The overlaps are 0.604 and 0.208.
TEST(NmsCases, MatrixAsPublished) {
  nms::NmsOptions options = by_rule(nms::NmsRule::matrix);
  options.overlap = nms::NmsOverlap::winner_area;
  options.matrix.squares = true;
  options.matrix.plus_one = true;
  options.threshold = 0.5F;
  EXPECT_THAT(kept_on_cpu(options, three()), ElementsAre(0));
  options.threshold = 0.605F;
  EXPECT_THAT(kept_on_cpu(options, three()), ElementsAre(0, 1, 2));
}

TEST(NmsCases, BoxesThatTouchOverlapByThePixelOfPlusOneAlone) {
  const NmsCase touching{"", {{0, 0, 10, 10}, {10, 0, 20, 10}}, {0.9F, 0.8F}};
  nms::NmsOptions options = by_rule(nms::NmsRule::matrix, 0);
  EXPECT_THAT(kept_on_cpu(options, touching), ElementsAre(0, 1));
  options.matrix.plus_one = true;
  EXPECT_THAT(kept_on_cpu(options, touching), ElementsAre(0));
}

// A small winner within a large loser removes the loser. A large winner doesn't remove a small
// loser.
TEST(NmsCases, ShareOfTheWinnersAreaIsNotSymmetric) {
  const Box small{40, 40, 60, 60};
  const Box large{0, 0, 100, 100};
  nms::NmsOptions options = by_rule(nms::NmsRule::matrix, 0.5F);
  options.overlap = nms::NmsOverlap::winner_area;
  EXPECT_THAT(kept_on_cpu(options, {"", {small, large}, {0.9F, 0.8F}}), ElementsAre(0));
  EXPECT_THAT(kept_on_cpu(options, {"", {small, large}, {0.8F, 0.9F}}), ElementsAre(1, 0));
}

// Neither box contains the other, and the result doesn't depend on which box has the higher score.
TEST(NmsCases, ShareOfTheSmallerAreaIsSymmetric) {
  const Box small{40, 40, 60, 60};
  const Box large{0, 0, 100, 100};
  for (const nms::NmsRule rule : {nms::NmsRule::greedy, nms::NmsRule::fast, nms::NmsRule::matrix}) {
    nms::NmsOptions options = by_rule(rule, 0.65F);
    options.overlap = nms::NmsOverlap::smaller_area;
    EXPECT_THAT(kept_on_cpu(options, {"", {small, large}, {0.9F, 0.8F}}), ElementsAre(0));
    EXPECT_THAT(kept_on_cpu(options, {"", {small, large}, {0.8F, 0.9F}}), ElementsAre(1));
    // The common area is 260 of 400 pixels, which equals the threshold and so doesn't exceed it.
    EXPECT_THAT(kept_on_cpu(options, {"", {small, {47, 0, 100, 100}}, {0.9F, 0.8F}}),
                ElementsAre(0, 1));
    EXPECT_THAT(kept_on_cpu(options, {"", {small, {46, 0, 100, 100}}, {0.9F, 0.8F}}),
                ElementsAre(0));
  }
}

// The IoU is 1/3. DIoU subtracts 1/10, because the centres differ.
TEST(NmsCases, DiouSparesNeighboursWithOtherCentres) {
  const NmsCase aside{"", {{0, 0, 20, 20}, {10, 0, 30, 20}}, {0.9F, 0.8F}};
  nms::NmsOptions options = by_rule(nms::NmsRule::greedy, 0.3F);
  EXPECT_THAT(kept_on_cpu(options, aside), ElementsAre(0));
  options.overlap = nms::NmsOverlap::diou;
  EXPECT_THAT(kept_on_cpu(options, aside), ElementsAre(0, 1));
}

TEST(NmsCases, LongChainKeepsEveryOther) {
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 1000; i += 2) expected.push_back(i);
  EXPECT_EQ(greedy_on_cpu(chain(1000), 0.3F), expected);
  EXPECT_THAT(kept_on_cpu(by_rule(nms::NmsRule::fast), chain(1000)), ElementsAre(0));
}

TEST(NmsCases, StarKeepsItsStrongMiddleAlone) {
  const std::vector<Box> boxes{
      {0, 0, 90, 90}, {30, 0, 120, 90}, {0, 30, 90, 120}, {-30, 0, 60, 90}};
  EXPECT_THAT(greedy(boxes, {0.9F, 0.5F, 0.6F, 0.7F}, 0.4F), ElementsAre(0));
  // If the middle box has the lowest score, the other boxes suppress it. They suppress each other
  // only if they overlap enough.
  EXPECT_EQ(greedy(boxes, {0.1F, 0.5F, 0.6F, 0.7F}, 0.4F),
            nms_oracle(boxes, {0.1F, 0.5F, 0.6F, 0.7F}, 0.4F));
}

TEST(NmsCases, TiesGoToTheLowerIndex) {
  EXPECT_THAT(greedy_on_cpu(identical(5), 0.5F), ElementsAre(0));
  EXPECT_THAT(kept_on_cpu(by_rule(nms::NmsRule::matrix), identical(5)), ElementsAre(0));
  EXPECT_THAT(greedy({{0, 0, 5, 5}, {10, 0, 15, 5}, {20, 0, 25, 5}}, {0.5F, 0.5F, 0.5F}, 0.5F),
              ElementsAre(0, 1, 2));
}

TEST(NmsCases, MinusZeroTiesWithZero) {
  EXPECT_THAT(greedy({{0, 0, 5, 5}, {10, 0, 15, 5}}, {-0.0F, 0.0F}, 0.5F), ElementsAre(0, 1));
  EXPECT_THAT(greedy({{0, 0, 5, 5}, {0, 0, 5, 5}}, {-0.0F, 0.0F}, 0.5F), ElementsAre(0));
}

TEST(NmsCases, IouAtTheThresholdKeeps) {
  struct Case {
    const char* iou;
    Box winner;
    Box loser;
    float threshold;
  };
  // All corners are whole numbers, so that the IoU is computed exactly. The float nearest to 1/3 is
  // above 1/3. A box is kept if its overlap equals the threshold.
  const std::vector<Case> cases{
      {"1/2", {0, 0, 10, 10}, {0, 0, 10, 5}, 0.5F},
      {"1/2 shifted", {0, 0, 30, 10}, {10, 0, 40, 10}, 0.5F},
      {"1/3", {0, 0, 20, 10}, {10, 0, 30, 10}, 1.0F / 3},
      {"1/4", {0, 0, 10, 10}, {0, 0, 5, 5}, 0.25F},
      {"1/4 shifted", {0, 0, 5, 8}, {3, 0, 8, 8}, 0.25F},
      {"0", {0, 0, 10, 10}, {10, 0, 20, 10}, 0.0F},  // touching boxes don't overlap
      {"1", {0, 0, 10, 10}, {0, 0, 10, 10}, 1.0F},
  };
  for (const Case& c : cases) {
    const NmsCase all{c.iou, {c.winner, c.loser}, {0.9F, 0.8F}};
    for (const nms::NmsRule rule :
         {nms::NmsRule::greedy, nms::NmsRule::matrix, nms::NmsRule::fast}) {
      EXPECT_THAT(kept_on_cpu(by_rule(rule, c.threshold), all), ElementsAre(0, 1)) << c.iou;
      if (c.threshold == 0) continue;
      const float below = std::nextafter(c.threshold, 0.0F) - 1e-6F;
      EXPECT_THAT(kept_on_cpu(by_rule(rule, below), all), ElementsAre(0)) << c.iou;
    }
  }
}

TEST(NmsCases, BoxesThatAreNoneAreDroppedAndSuppressNothing) {
  const Box good{10, 10, 20, 20};
  const std::vector<std::pair<const char*, Box>> dropped{
      // Columns: reason, box.
      {"NaN", {kNan, 10, 20, 20}},          {"NaN", {10, kNan, 20, 20}},
      {"NaN", {10, 10, kNan, 20}},          {"NaN", {10, 10, 20, kNan}},
      {"no width", {10, 10, 10, 20}},       {"no height", {10, 10, 20, 10}},
      {"negative width", {20, 10, 10, 20}}, {"negative height", {10, 20, 20, 10}},
      {"both negative", {20, 20, 10, 10}},  {"at infinity", {kInf, 10, kInf, 20}},
  };
  for (const nms::NmsRule rule :
       {nms::NmsRule::greedy, nms::NmsRule::matrix, nms::NmsRule::fast, nms::NmsRule::soft})
    for (const auto& [why, box] : dropped)
      EXPECT_THAT(kept_on_cpu(by_rule(rule), {why, {box, good, box}, {1, 0.5F, 0.1F}}),
                  ElementsAre(1))
          << why;
  for (const nms::NmsRule rule :
       {nms::NmsRule::greedy, nms::NmsRule::matrix, nms::NmsRule::fast, nms::NmsRule::soft})
    EXPECT_THAT(kept_on_cpu(by_rule(rule), {"", {good, good, good}, {kNan, 0.5F, kNan}}),
                ElementsAre(1));
}

TEST(NmsCases, AnyScoreButNanRanks) {
  EXPECT_THAT(greedy({{0, 0, 5, 5}, {10, 0, 15, 5}, {20, 0, 25, 5}, {30, 0, 35, 5}},
                     {-kInf, -3.0F, kInf, 0.5F}, 0.5F),
              ElementsAre(2, 3, 1, 0));
}

// Infinite areas lead to NaN, and comparisons with NaN are false. So such boxes are kept and
// suppress no other box.
TEST(NmsCases, InfiniteBoxesSuppressNoFiniteOne) {
  const auto kept = greedy(
      {{-kInf, -kInf, kInf, kInf}, {-kHuge, -kHuge, kHuge, kHuge}, {0, 0, 10, 10}, {1, 0, 11, 10}},
      {0.9F, 0.8F, 0.7F, 0.6F}, 0.5F);
  EXPECT_THAT(kept, testing::IsSupersetOf({0U, 2U}));
  EXPECT_THAT(kept, testing::Not(testing::Contains(3U)));
}

TEST(NmsCases, DisjointBoxesAllStand) {
  for (const nms::NmsRule rule : {nms::NmsRule::greedy, nms::NmsRule::matrix, nms::NmsRule::fast})
    EXPECT_EQ(kept_on_cpu(by_rule(rule, 0), disjoint(1600)).size(), 1600U);
}

TEST(NmsCases, NothingInNothingOut) {
  for (const nms::NmsRule rule :
       {nms::NmsRule::greedy, nms::NmsRule::matrix, nms::NmsRule::fast, nms::NmsRule::soft})
    EXPECT_THAT(kept_on_cpu(by_rule(rule), {}), IsEmpty());
}

}  // namespace
}  // namespace facepipe::test
