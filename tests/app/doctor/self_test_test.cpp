// These tests check the picture on which doctor tries engines, and the comparison of the faces that
// engines find in it.
#include "app/doctor/self_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace facepipe::app {
namespace {

Detections at(const std::vector<std::pair<Box, float>>& entries) {
  Detections made;
  for (const auto& [box, score] : entries) made.push_back(box, score, {});
  return made;
}

constexpr Box kHere{10, 10, 30, 30};
constexpr Box kNearlyHere{10, 10, 30, 31};  // its IoU with kHere is 20/21
constexpr Box kBeside{18, 10, 38, 30};      // its IoU with kHere is 12/28
constexpr Box kElsewhere{100, 100, 120, 120};

TEST(CompareScores, TakesTheNearestScoreAtTheSamePlace) {
  const ScoreComparison same = compare_scores(at({{kHere, .5F}}), at({{kHere, .5F}}));
  EXPECT_EQ(same.compared, 2U);
  EXPECT_EQ(same.largest_difference, 0);
  const ScoreComparison near =
      compare_scores(at({{kHere, .5F}}), at({{kNearlyHere, .53125F}, {kElsewhere, .02F}}));
  EXPECT_EQ(near.compared, 2U);
  EXPECT_DOUBLE_EQ(near.largest_difference, .03125);
}

TEST(CompareScores, WithoutAPartnerTheWholeScoreIsTheDifference) {
  EXPECT_DOUBLE_EQ(compare_scores(at({{kHere, .75F}}), at({{kBeside, .75F}})).largest_difference,
                   .75);
  EXPECT_DOUBLE_EQ(compare_scores(at({}), at({{kHere, .25F}})).largest_difference, .25);
  EXPECT_DOUBLE_EQ(compare_scores(at({{kHere, .25F}}), at({})).largest_difference, .25);
}

TEST(CompareScores, LeavesLowScoresOut) {
  const ScoreComparison low = compare_scores(at({{kHere, .04F}}), at({{kElsewhere, .03F}}));
  EXPECT_EQ(low.compared, 0U);
  EXPECT_EQ(low.largest_difference, 0);
}

TEST(TestPicture, EveryFaceHasAScoreThatTells) {
  detector::DetectorOptions options;
  options.model =
      std::filesystem::path(FACEPIPE_SOURCE_DIR) / "data/fetched/models/centerface.onnx";
  options.library = detector::Library::opencv;
  options.precision = detector::Precision::f32;
  options.score_threshold = 0;
  const Detections found = self_test(*detector::make_detector_factory({}, options)).candidates;
  for (const Point& face : {Point{90, 96}, {230, 80}, {285, 140}}) {
    float best = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Box& box = found.boxes[i];
      if (box.x1 < face.x && face.x < box.x2 && box.y1 < face.y && face.y < box.y2)
        best = std::max(best, found.scores[i]);
    }
    EXPECT_GT(best, .15F) << face.x;
    EXPECT_LT(best, .95F) << face.x;
  }
}

}  // namespace
}  // namespace facepipe::app
