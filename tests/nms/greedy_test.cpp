// Greedy suppression: against an oracle, by its properties, and at the edges of its contract.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "nms/nms.h"
#include "tests/support/nms_oracle.h"

namespace facepipe {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kHuge = std::numeric_limits<float>::max();

struct Candidates {
  std::vector<Box> boxes;
  std::vector<float> scores;
  [[nodiscard]] std::size_t size() const { return boxes.size(); }
};

/// `count` candidates around count / 7 places. Corners are whole numbers, so areas are exact.
/// Scores come from `score_steps` values: ties where there are few.
Candidates clusters(std::size_t count, unsigned seed, unsigned score_steps) {
  std::mt19937 random(seed);
  const auto pick = [&](unsigned below) { return static_cast<float>(random() % below); };
  std::vector<Box> centres(count / 7 + 1);
  for (Box& box : centres) {
    const float x = pick(1800);
    const float y = pick(1000);
    const float side = 8 + pick(120);
    box = {x, y, x + side, y + side + pick(30)};
  }
  Candidates out;
  for (std::size_t i = 0; i < count; ++i) {
    const Box& near = centres[random() % centres.size()];
    const float dx = pick(25) - 12;
    const float dy = pick(25) - 12;
    out.boxes.push_back({near.x1 + dx, near.y1 + dy, near.x2 + dx + pick(7), near.y2 + dy});
    out.scores.push_back(pick(score_steps) / static_cast<float>(score_steps));
  }
  return out;
}

/// Scores all different.
Candidates distinct_clusters(std::size_t count, unsigned seed) {
  Candidates out = clusters(count, seed, 2);
  std::mt19937 random(seed + 1);
  std::iota(out.scores.begin(), out.scores.end(), 1.0F);
  std::shuffle(out.scores.begin(), out.scores.end(), random);
  for (float& score : out.scores) score /= static_cast<float>(count + 1);
  return out;
}

bool outranks(const Candidates& all, std::size_t a, std::size_t b) {
  return all.scores[a] > all.scores[b] || (all.scores[a] == all.scores[b] && a < b);
}

std::vector<std::uint32_t> greedy(const Candidates& all, float threshold) {
  return greedy_nms(all.boxes, all.scores, threshold);
}

class GreedyNms : public testing::TestWithParam<float> {};

TEST_P(GreedyNms, EqualsTheOracle) {
  for (const std::size_t count : {0U, 1U, 2U, 31U, 32U, 33U, 63U, 64U, 65U, 257U, 1024U})
    for (unsigned seed = 0; seed < 5; ++seed)
      for (const unsigned score_steps : {1U, 4U, 1000000U}) {
        const Candidates all = clusters(count, seed, score_steps);
        ASSERT_EQ(greedy(all, GetParam()), test::nms_oracle(all.boxes, all.scores, GetParam()))
            << count << " candidates, seed " << seed;
      }
}

TEST_P(GreedyNms, KeptOnesDoNotSuppressEachOther) {
  const Candidates all = clusters(700, 5, 50);
  const auto kept = greedy(all, GetParam());
  for (const auto a : kept)
    for (const auto b : kept)
      if (a != b) {
        EXPECT_FALSE(test::overlaps_more(all.boxes[a], all.boxes[b], GetParam()));
      }
}

TEST_P(GreedyNms, EachRemovedOneHasAKeptStrongerSuppressor) {
  const Candidates all = clusters(700, 6, 50);
  const auto kept = greedy(all, GetParam());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (std::find(kept.begin(), kept.end(), i) != kept.end()) continue;
    const bool justified = std::any_of(kept.begin(), kept.end(), [&](std::uint32_t k) {
      return outranks(all, k, i) && test::overlaps_more(all.boxes[k], all.boxes[i], GetParam());
    });
    EXPECT_TRUE(justified) << i;
  }
}

TEST_P(GreedyNms, OutputIsInRankOrder) {
  const Candidates all = clusters(700, 7, 50);
  const auto kept = greedy(all, GetParam());
  for (std::size_t i = 1; i < kept.size(); ++i) EXPECT_TRUE(outranks(all, kept[i - 1], kept[i]));
}

TEST_P(GreedyNms, OrderOfDistinctScoresDoesNotMatter) {
  const Candidates all = distinct_clusters(500, 8);
  const auto expected = greedy(all, GetParam());
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937 random(9);
  for (int round = 0; round < 10; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    Candidates shuffled;
    for (const std::size_t i : order) {
      shuffled.boxes.push_back(all.boxes[i]);
      shuffled.scores.push_back(all.scores[i]);
    }
    std::vector<std::uint32_t> kept;
    for (const auto i : greedy(shuffled, GetParam()))
      kept.push_back(static_cast<std::uint32_t>(order[i]));
    EXPECT_EQ(kept, expected);
  }
}

TEST_P(GreedyNms, DoneTwiceIsDoneOnce) {
  const Candidates all = clusters(700, 10, 50);
  Candidates kept;
  for (const auto i : greedy(all, GetParam())) {
    kept.boxes.push_back(all.boxes[i]);
    kept.scores.push_back(all.scores[i]);
  }
  std::vector<std::uint32_t> everything(kept.size());
  std::iota(everything.begin(), everything.end(), 0U);
  EXPECT_EQ(greedy(kept, GetParam()), everything);
}

INSTANTIATE_TEST_SUITE_P(Thresholds, GreedyNms, testing::Values(0.0F, 0.3F, 0.5F, 0.8F, 1.0F));

// A suppresses B, B would suppress C, A leaves C alone: B is out, so C stands.
TEST(GreedyNmsCases, ChainKeepsWhatOnlyARemovedOneOverlaps) {
  const Candidates chain{{{0, 0, 100, 100}, {40, 0, 140, 100}, {80, 0, 180, 100}},
                         {0.9F, 0.8F, 0.7F}};
  EXPECT_THAT(greedy(chain, 0.3F), ElementsAre(0, 2));
}

TEST(GreedyNmsCases, LongChainKeepsEveryOther) {
  Candidates chain;
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const auto x = static_cast<float>(40 * i);
    chain.boxes.push_back({x, 0, x + 100, 100});
    chain.scores.push_back(1 - static_cast<float>(i) / 1024);
    if (i % 2 == 0) expected.push_back(i);
  }
  EXPECT_EQ(greedy(chain, 0.3F), expected);
}

TEST(GreedyNmsCases, StarKeepsItsStrongMiddleAlone) {
  const std::vector<Box> boxes{
      {0, 0, 90, 90}, {30, 0, 120, 90}, {0, 30, 90, 120}, {-30, 0, 60, 90}};
  EXPECT_THAT(greedy_nms(boxes, std::vector<float>{0.9F, 0.5F, 0.6F, 0.7F}, 0.4F), ElementsAre(0));
  // With a weak middle the arms suppress it, and each other only where they overlap enough.
  EXPECT_EQ(greedy_nms(boxes, std::vector<float>{0.1F, 0.5F, 0.6F, 0.7F}, 0.4F),
            test::nms_oracle(boxes, {0.1F, 0.5F, 0.6F, 0.7F}, 0.4F));
}

TEST(GreedyNmsCases, TiesGoToTheLowerIndex) {
  const std::vector<Box> same(5, Box{10, 10, 20, 20});
  EXPECT_THAT(greedy_nms(same, std::vector<float>(5, 0.5F), 0.5F), ElementsAre(0));
  const std::vector<Box> apart{{0, 0, 5, 5}, {10, 0, 15, 5}, {20, 0, 25, 5}};
  EXPECT_THAT(greedy_nms(apart, std::vector<float>(3, 0.5F), 0.5F), ElementsAre(0, 1, 2));
}

TEST(GreedyNmsCases, MinusZeroTiesWithZero) {
  const std::vector<Box> apart{{0, 0, 5, 5}, {10, 0, 15, 5}};
  EXPECT_THAT(greedy_nms(apart, std::vector<float>{-0.0F, 0.0F}, 0.5F), ElementsAre(0, 1));
}

TEST(GreedyNmsCases, IouAtTheThresholdKeeps) {
  struct Case {
    const char* iou;
    Box winner;
    Box loser;
    float threshold;
  };
  // Corners are whole numbers, so the fraction is exact. fp32's 1/3 is above 1/3: equal keeps.
  const std::vector<Case> cases{
      {"1/2", {0, 0, 10, 10}, {0, 0, 10, 5}, 0.5F},
      {"1/2 shifted", {0, 0, 30, 10}, {10, 0, 40, 10}, 0.5F},
      {"1/3", {0, 0, 20, 10}, {10, 0, 30, 10}, 1.0F / 3},
      {"1/4", {0, 0, 10, 10}, {0, 0, 5, 5}, 0.25F},
      {"1/4 shifted", {0, 0, 5, 8}, {3, 0, 8, 8}, 0.25F},
      {"0", {0, 0, 10, 10}, {10, 0, 20, 10}, 0.0F},  // touching is no overlap
      {"1", {0, 0, 10, 10}, {0, 0, 10, 10}, 1.0F},
  };
  for (const Case& c : cases) {
    const std::vector<Box> boxes{c.winner, c.loser};
    const std::vector<float> scores{0.9F, 0.8F};
    EXPECT_THAT(greedy_nms(boxes, scores, c.threshold), ElementsAre(0, 1)) << c.iou;
    if (c.threshold == 0) continue;
    const float below = std::nextafter(c.threshold, 0.0F) - 1e-6F;
    EXPECT_THAT(greedy_nms(boxes, scores, below), ElementsAre(0)) << c.iou;
  }
}

TEST(GreedyNmsCases, BoxesThatAreNoneAreDroppedAndSuppressNothing) {
  const Box good{10, 10, 20, 20};
  const std::vector<std::pair<const char*, Box>> dropped{
      // why, box
      {"NaN", {kNan, 10, 20, 20}},          {"NaN", {10, kNan, 20, 20}},
      {"NaN", {10, 10, kNan, 20}},          {"NaN", {10, 10, 20, kNan}},
      {"no width", {10, 10, 10, 20}},       {"no height", {10, 10, 20, 10}},
      {"negative width", {20, 10, 10, 20}}, {"negative height", {10, 20, 20, 10}},
      {"both negative", {20, 20, 10, 10}},
  };
  for (const auto& [why, box] : dropped) {
    const std::vector<Box> boxes{box, good, box};
    EXPECT_THAT(greedy_nms(boxes, std::vector<float>{1, 0.5F, 0.1F}, 0.3F), ElementsAre(1)) << why;
  }
  const std::vector<Box> same{good, good, good};
  EXPECT_THAT(greedy_nms(same, std::vector<float>{kNan, 0.5F, kNan}, 0.3F), ElementsAre(1));
}

TEST(GreedyNmsCases, AnyScoreButNanRanks) {
  const std::vector<Box> boxes{{0, 0, 5, 5}, {10, 0, 15, 5}, {20, 0, 25, 5}, {30, 0, 35, 5}};
  EXPECT_THAT(greedy_nms(boxes, std::vector<float>{-kInf, -3.0F, kInf, 0.5F}, 0.5F),
              ElementsAre(2, 3, 1, 0));
}

// Infinite areas make NaN comparisons, which are false: such boxes stand, and nothing else suffers.
TEST(GreedyNmsCases, InfiniteBoxesSuppressNoFiniteOne) {
  const std::vector<Box> boxes{
      {-kInf, -kInf, kInf, kInf}, {-kHuge, -kHuge, kHuge, kHuge}, {0, 0, 10, 10}, {1, 0, 11, 10}};
  const auto kept = greedy_nms(boxes, std::vector<float>{0.9F, 0.8F, 0.7F, 0.6F}, 0.5F);
  EXPECT_THAT(kept, testing::IsSupersetOf({0U, 2U}));
  EXPECT_THAT(kept, testing::Not(testing::Contains(3U)));
}

TEST(GreedyNmsCases, HundredsOfDisjointBoxesAllStand) {
  Candidates grid;
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 40; ++x) {
      const auto left = static_cast<float>(10 * x);
      const auto top = static_cast<float>(10 * y);
      grid.boxes.push_back({left, top, left + 10, top + 10});
      grid.scores.push_back(0.5F);
    }
  EXPECT_EQ(greedy(grid, 0).size(), grid.size());
}

TEST(GreedyNmsCases, NothingInNothingOut) { EXPECT_THAT(greedy_nms({}, {}, 0.3F), IsEmpty()); }

TEST(GreedyNmsCases, UnequalLengthsAreRefused) {
  EXPECT_THROW((void)greedy_nms(std::vector<Box>(2), std::vector<float>(3), 0.3F),
               std::invalid_argument);
}

}  // namespace
}  // namespace facepipe
