// These tests compare the papers' methods of suppression on one core with their definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/programs/nms_papers/made_up.h"
#include "experiments/programs/nms_papers/pair_nms.h"
#include "experiments/programs/nms_papers/printed_on_host.h"
#include "experiments/programs/nms_papers/rcnn_nms.h"
#include "tests/experiments/papers_oracle.h"

namespace facepipe::nms_papers {
namespace {

using test::NmsCase;
using testing::ElementsAre;

constexpr float kThresholds[] = {0.0F, 0.25F, 0.5F, 1.0F};
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<NmsCase> cases_of(std::size_t count) {
  std::vector<NmsCase> out = test::exact_cases(count, 30);
  out.push_back(test::shuffled(test::chain(count), 31));
  return out;
}

template <class Rule>
std::vector<std::uint32_t> kept_by(const Rule& rule, const NmsCase& all,
                                   Removers removers = Removers::kept) {
  PairNms nms;
  const auto kept = nms.run(rule, all.boxes, all.scores, removers);
  return {kept.begin(), kept.end()};
}

// --- Adaptive-NMS

/// Returns densities that floats represent exactly, below, at and above the tests' thresholds.
std::vector<float> some_densities(std::size_t count) {
  test::NmsRandom random(50);
  std::vector<float> out(count);
  for (float& density : out) density = static_cast<float>(random.below(9)) / 8;
  return out;
}

TEST(AdaptiveNms, IsGreedyWithTheGreaterOfThresholdAndDensity) {
  for (const std::size_t count : {1U, 2U, 31U, 100U, 300U})
    for (const NmsCase& all : cases_of(count))
      for (const float threshold : kThresholds) {
        const std::vector<float> densities = some_densities(count);
        const std::vector<std::uint32_t> expected =
            greedy_oracle(all, [&](std::size_t winner, std::size_t loser) {
              return test::iou_of(all.boxes[winner], all.boxes[loser]) >
                     static_cast<double>(std::max(threshold, densities[winner]));
            });
        EXPECT_EQ(kept_by(AdaptiveRule{threshold, densities.data()}, all), expected)
            << all.name << " of " << count << " at " << threshold;
      }
}

TEST(AdaptiveNms, WithoutDensityIsGreedy) {
  const NmsCase all = test::whole_clusters(300, 5, 50);
  for (const float none : {0.0F, -1.0F, kNan}) {
    const std::vector<float> densities(all.size(), none);
    EXPECT_EQ(kept_by(AdaptiveRule{0.25F, densities.data()}, all),
              test::nms_oracle(all.boxes, all.scores, 0.25));
  }
}

// Neighbours overlap by 3/7. The middle box has a density that allows this overlap, and the first
// box hasn't.
TEST(AdaptiveNms, TheWinnersDensityCounts) {
  const NmsCase all = test::chain(3);
  const float densities[] = {0, 0.5F, 0};
  EXPECT_THAT(kept_by(AdaptiveRule{0.3F, densities}, all), ElementsAre(0, 2));
  const float dense_first[] = {0.5F, 0, 0};
  EXPECT_THAT(kept_by(AdaptiveRule{0.3F, dense_first}, all), ElementsAre(0, 1));
}

// --- FeatureNMS

/// Returns vectors of whole numbers, so that distances are exact.
std::vector<float> some_features(std::size_t count, std::uint32_t length) {
  test::NmsRandom random(51);
  std::vector<float> out(count * length);
  for (float& value : out) value = static_cast<float>(random.below(4));
  return out;
}

double distance_of(const std::vector<float>& features, std::size_t length, std::size_t a,
                   std::size_t b) {
  double sum = 0;
  for (std::size_t i = 0; i < length; ++i) {
    const double difference =
        static_cast<double>(features[a * length + i]) - features[b * length + i];
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

TEST(FeatureNms, AsksTheFeaturesBetweenTwoOverlaps) {
  constexpr std::uint32_t kLength = 5;
  for (const std::size_t count : {1U, 2U, 31U, 100U, 300U})
    for (const NmsCase& all : cases_of(count))
      for (const float distance : {0.0F, 2.0F, 3.0F, 100.0F}) {
        const std::vector<float> features = some_features(count, kLength);
        const std::vector<std::uint32_t> expected =
            greedy_oracle(all, [&](std::size_t winner, std::size_t loser) {
              const double iou = test::iou_of(all.boxes[winner], all.boxes[loser]);
              if (iou <= 0.25) return false;
              return iou > 0.5 ||
                     distance_of(features, kLength, winner, loser) <= static_cast<double>(distance);
            });
        EXPECT_EQ(kept_by(FeatureRule{0.25F, 0.5F, distance, features.data(), kLength}, all),
                  expected)
            << all.name << " of " << count << ", distance " << distance;
      }
}

TEST(FeatureNms, EqualFeaturesAreGreedyAtTheLesserOverlap) {
  const NmsCase all = test::whole_clusters(300, 6, 50);
  const std::vector<float> features(all.size(), 1.0F);
  EXPECT_EQ(kept_by(FeatureRule{0.25F, 0.75F, 0, features.data(), 1}, all),
            test::nms_oracle(all.boxes, all.scores, 0.25));
}

TEST(FeatureNms, ADistanceOfNanIsNone) {
  const NmsCase all = test::whole_clusters(300, 6, 50);
  const std::vector<float> features(all.size(), kNan);
  EXPECT_EQ(kept_by(FeatureRule{0.25F, 0.75F, 9, features.data(), 1}, all),
            test::nms_oracle(all.boxes, all.scores, 0.75));
}

// --- Both rules as in the papers' matrix

TEST(PairRules, AnyRemoverIsEnoughInTheMatrix) {
  for (const NmsCase& all : cases_of(200)) {
    const std::vector<float> densities = some_densities(all.size());
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < all.size(); ++i) {
      bool removed = false;
      for (std::size_t j = 0; j < all.size(); ++j) {
        const bool outranks =
            all.scores[j] > all.scores[i] || (all.scores[j] == all.scores[i] && j < i);
        removed = removed || (outranks && test::iou_of(all.boxes[j], all.boxes[i]) >
                                              static_cast<double>(std::max(0.25F, densities[j])));
      }
      if (!removed) expected.push_back(static_cast<std::uint32_t>(i));
    }
    std::vector<std::uint32_t> kept =
        kept_by(AdaptiveRule{0.25F, densities.data()}, all, Removers::any);
    std::sort(kept.begin(), kept.end());
    EXPECT_EQ(kept, expected) << all.name;
  }
}

TEST(PairRules, LeaveOutWhatIsNoCandidate) {
  const NmsCase all = test::degenerate(300);
  const std::vector<float> densities(all.size());
  for (const std::uint32_t index : kept_by(AdaptiveRule{0.3F, densities.data()}, all))
    EXPECT_TRUE(test::is_candidate(all.boxes[index], all.scores[index])) << index;
}

TEST(MadeUpFeatures, AreNearForNeighboursAlone) {
  NmsCase all;
  all.add({10, 10, 30, 30}, 0.5F);
  all.add({12, 11, 33, 30}, 0.5F);
  all.add({100, 10, 120, 30}, 0.5F);
  const std::vector<float> features = made_up_features(all);
  ASSERT_EQ(features.size(), 3 * kFeatureLength);
  EXPECT_LT(distance_of(features, kFeatureLength, 0, 1), 1.2);
  EXPECT_GT(distance_of(features, kFeatureLength, 0, 2), 2);
}

// --- The printed algorithms

double printed_overlap(const Box& winner, const Box& loser) {
  const auto side = [](const Box& box) {
    return std::max(static_cast<double>(box.x2) - box.x1, static_cast<double>(box.y2) - box.y1);
  };
  const auto common = [&](float a, float b) {
    return std::max(0.0, std::min(a + side(winner), b + side(loser)) -
                             std::max(static_cast<double>(a), static_cast<double>(b)) + 1);
  };
  const double longer = side(winner) + 1;
  return common(winner.x1, loser.x1) * common(winner.y1, loser.y1) / (longer * longer);
}

TEST(PrintedOnHost, KeepsWhatNoHigherScoreOverlaps) {
  for (const std::size_t count : {1U, 2U, 33U, 300U})
    for (const NmsCase& all : cases_of(count))
      for (const float threshold : {0.25F, 0.5F}) {
        std::vector<std::uint32_t> expected;
        for (std::size_t i = 0; i < count; ++i) {
          bool removed = false;
          for (std::size_t j = 0; j < count; ++j)
            removed = removed || (all.scores[i] < all.scores[j] &&
                                  printed_overlap(all.boxes[j], all.boxes[i]) >=
                                      static_cast<double>(threshold));
          if (!removed) expected.push_back(static_cast<std::uint32_t>(i));
        }
        EXPECT_EQ(printed_on_host(all.boxes, all.scores, threshold), expected)
            << all.name << " of " << count << " at " << threshold;
      }
}

TEST(PrintedOnHost, EqualScoresBothSurvive) {
  const NmsCase all = test::identical(7);
  EXPECT_EQ(printed_on_host(all.boxes, all.scores, 0.5F).size(), 7);
}

TEST(RcnnNms, SuppressesFromTheThresholdOn) {
  for (const std::size_t count : {0U, 1U, 2U, 33U, 300U})
    for (NmsCase all : cases_of(count))
      for (const float threshold : {0.25F, 0.5F}) {
        test::make_scores_distinct(all, 7);
        EXPECT_EQ(rcnn_nms(all.boxes, all.scores, threshold),
                  greedy_oracle(all,
                                [&](std::size_t winner, std::size_t loser) {
                                  return overlap_with_a_pixel_more(all.boxes[winner],
                                                                   all.boxes[loser]) >=
                                         static_cast<double>(threshold);
                                }))
            << all.name << " of " << count << " at " << threshold;
      }
}

TEST(RcnnNms, TheLaterOfEqualScoresComesFirst) {
  const NmsCase all = test::identical(5);
  EXPECT_THAT(rcnn_nms(all.boxes, all.scores, 0.5F), ElementsAre(4));
}

}  // namespace
}  // namespace facepipe::nms_papers
