// These tests check which track each detection continues.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "track/matching.h"

namespace facepipe::track {
namespace {

TEST(Iou, OfKnownBoxes) {
  EXPECT_FLOAT_EQ(iou({0, 0, 10, 10}, {0, 0, 10, 10}), 1);
  EXPECT_FLOAT_EQ(iou({0, 0, 10, 10}, {5, 0, 15, 10}), 1.0F / 3);
  EXPECT_EQ(iou({0, 0, 10, 10}, {10, 0, 20, 10}), 0);
  EXPECT_EQ(iou({0, 0, 10, 10}, {3, 3, 3, 8}), 0);
}

TEST(Affinity, OfOverlapsAndOfNeighbours) {
  struct Case {
    Box detection;
    float affinity;
    const char* what;
  };
  const Box prediction{0, 0, 10, 10};
  const std::vector<Case> cases{
      {{5, 0, 15, 10}, 1 + 1.0F / 3, "a third in common"},
      {{5.5F, 5.5F, 15.5F, 15.5F}, 0, "too far on both axes"},
      {{5.9F, 2, 15.9F, 12}, 0, "just too far"},
      {{4, 4, 14, 14}, 1 + 36.0F / 164, "little, but enough in common"},
      {{7, -7.5F, 11, 17.5F}, 1 - 0.4F, "little in common, but near"},
      {{0, 0, 22, 22}, 1 + 100.0F / 484, "larger, but in common"},
      {{-7, -7, 17, 17}, 0, "twice as large"},
      {{30, 0, 40, 10}, 0, "elsewhere"},
  };
  for (const Case& c : cases)
    EXPECT_FLOAT_EQ(affinity(prediction, c.detection), c.affinity) << c.what;
}

TEST(MatchGreedily, TakesTheBestPairFirst) {
  // The second prediction overlaps the first detection more than the first prediction does.
  const std::vector<Box> predictions{{0, 0, 10, 10}, {2, 0, 12, 10}};
  const std::vector<Box> detections{{2, 0, 12, 10}, {-2, 0, 8, 10}};
  EXPECT_EQ(match_greedily(predictions, detections), (std::vector<Match>{{1, 0}, {0, 1}}));
}

TEST(MatchGreedily, TakesTheLowerOfEquals) {
  const std::vector<Box> same(3, Box{0, 0, 10, 10});
  EXPECT_EQ(match_greedily(same, same), (std::vector<Match>{{0, 0}, {1, 1}, {2, 2}}));
}

TEST(MatchGreedily, OfNothing) {
  const std::vector<Box> one{{0, 0, 10, 10}};
  EXPECT_TRUE(match_greedily({}, one).empty());
  EXPECT_TRUE(match_greedily(one, {}).empty());
}

/// Takes the best of all remaining pairs repeatedly, until no pair remains.
std::vector<Match> oracle(const std::vector<Box>& predictions, const std::vector<Box>& detections) {
  std::vector<Match> matches;
  std::vector<bool> taken(predictions.size());
  std::vector<bool> used(detections.size());
  while (true) {
    float best = 0;
    Match match;
    for (std::size_t i = 0; i < predictions.size(); ++i)
      for (std::size_t j = 0; j < detections.size(); ++j)
        if (!taken[i] && !used[j] && affinity(predictions[i], detections[j]) > best) {
          best = affinity(predictions[i], detections[j]);
          match = {i, j};
        }
    if (best == 0) return matches;
    taken[match.prediction] = used[match.detection] = true;
    matches.push_back(match);
  }
}

class Numbers {
 public:
  explicit Numbers(unsigned seed) : random_(seed) {}
  /// Returns a random whole number from 0 to `below` - 1.
  float operator()(int below) {
    return static_cast<float>(static_cast<int>(random_() % static_cast<unsigned>(below)));
  }

 private:
  std::mt19937 random_;
};

// Boxes can be anywhere, even outside of the picture. One face is as large as the picture.
TEST(MatchGreedily, EqualsTheOracleOnACrowd) {
  Numbers number(4);
  for (int round = 0; round < 20; ++round) {
    std::vector<Box> predictions;
    std::vector<Box> detections;
    for (int i = 0; i < 400; ++i) {
      const Point at{number(2000) - 200, number(40'000) / (round % 2 == 0 ? 30.0F : 1.0F) - 200};
      const Box box{at.x, at.y, at.x + 8 + number(60), at.y + 8 + number(60)};
      predictions.push_back(box);
      const float shift = number(20);
      detections.push_back({box.x1 + shift, box.y1 - shift, box.x2 + shift, box.y2 - shift});
    }
    if (round % 3 == 0) detections.push_back({-500, -500, 3000, 2000});
    ASSERT_EQ(match_greedily(predictions, detections), oracle(predictions, detections)) << round;
  }
}

TEST(MatchGreedily, EqualsTheOracleOnRandomBoxes) {
  Numbers number(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<Box> predictions;
    std::vector<Box> detections;
    for (int i = 0; i < 60; ++i) {
      const Point at{number(120), number(90)};
      const Box box{at.x, at.y, at.x + 1 + number(30), at.y + 1 + number(60)};
      (i % 2 == 0 ? predictions : detections).push_back(box);
    }
    ASSERT_EQ(match_greedily(predictions, detections), oracle(predictions, detections)) << round;
  }
}

TEST(WhichCross, AreThoseThatAPlainLoopFinds) {
  Numbers number(6);
  for (int round = 0; round < 50; ++round) {
    std::vector<Box> boxes;
    for (int i = 0; i < 60; ++i) {
      const float x = number(400) - 50;
      const float y = number(400) - 50;
      boxes.push_back({x, y, x + 1 + number(i % 10 == 0 ? 300 : 40), y + 1 + number(60)});
    }
    boxes.push_back(boxes.front());  // a box that occurs twice
    const std::vector<bool> found = which_cross(boxes, 0.15F);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      bool crosses = false;
      for (std::size_t k = 0; k < boxes.size(); ++k)
        crosses = crosses || (k != i && iou(boxes[i], boxes[k]) > 0.15F);
      EXPECT_EQ(found[i], crosses) << round << ' ' << i;
    }
  }
  EXPECT_TRUE(which_cross({}, 0).empty());
}

}  // namespace
}  // namespace facepipe::track
