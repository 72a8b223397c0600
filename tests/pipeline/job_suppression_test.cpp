// These tests choose suppression by the options of a job, and check the resulting faces, boxes and
// scores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::pipeline {
namespace {

using namespace test;

/// Returns a chain of three boxes. Each is 100 wide, 40 to the right of the previous one, and has a
/// lower score. Neighbours have an IoU of 3/7, and the first and the last box have 1/9.
Detections chain() {
  Detections candidates;
  candidates.push_back({0, 0, 100, 100}, 0.9F, Landmarks{{{1, 1}}});
  candidates.push_back({40, 0, 140, 100}, 0.8F, Landmarks{{{2, 2}}});
  candidates.push_back({80, 0, 180, 100}, 0.7F, Landmarks{{{3, 3}}});
  return candidates;
}

class JobSuppression : public testing::Test {
 protected:
  JobSuppression() {
    ffmpeg("-f lavfi -i testsrc2=s=192x108:r=5 -frames:v 2 -c:v libx264", folder_ / "in.mp4");
    options_ = lossless_job(folder_ / "in.mp4", "");
    options_.search.nms.threshold = 0.3F;
  }
  /// Returns the faces of the first frame.
  Detections faces(const Detections& candidates) {
    FakeBehaviour behaviour;
    behaviour.candidates = candidates;
    run_ = run_fake_job(options_, behaviour);
    EXPECT_EQ(run_.records.size(), 2U);
    return run_.records.at(0).faces;
  }

  TemporaryFolder folder_;
  JobOptions options_;
  JobRun run_;
};

TEST_F(JobSuppression, GreedySparesWhatOnlyAFallenBoxOverlaps) {
  const Detections found = faces(chain());
  EXPECT_THAT(found.scores, testing::ElementsAre(0.9F, 0.7F));
  EXPECT_EQ(found.landmarks[1][0], (Point{3, 3})) << "landmarks go with their box";
  EXPECT_EQ(run_.records[0].candidates, 3U);
}

TEST_F(JobSuppression, FacesOfADetectorWithoutLandmarksHaveNone) {
  options_.overlay = {true, true, true, true};
  Detections candidates = chain();
  candidates.landmarks.clear();
  const Detections found = faces(candidates);
  EXPECT_THAT(found.scores, testing::ElementsAre(0.9F, 0.7F));
  EXPECT_FALSE(found.has_landmarks());
}

TEST_F(JobSuppression, FastAndMatrixDont) {
  for (const nms::NmsRule rule : {nms::NmsRule::fast, nms::NmsRule::matrix}) {
    options_.search.nms.rule = rule;
    EXPECT_THAT(faces(chain()).scores, testing::ElementsAre(0.9F)) << name_of(rule);
  }
}

TEST_F(JobSuppression, SoftLowersScoresAndDropsTheLowest) {
  options_.search.nms.rule = nms::NmsRule::soft;
  options_.search.nms.soft = {nms::SoftDecay::linear, 0.5F, 0.42F};
  // The first box is selected, and the second box's score falls to 0.8 * 4/7 = 0.457. The third box
  // overlaps the first by only 1/9, so it is selected next, and the second box's score falls to
  // 0.261.
  const Detections found = faces(chain());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_FLOAT_EQ(found.scores[0], 0.9F);
  EXPECT_FLOAT_EQ(found.scores[1], 0.7F);
}

TEST_F(JobSuppression, VotingMovesTheBox) {
  options_.search.nms.voting = true;
  const Detections found = faces(chain());
  ASSERT_EQ(found.size(), 2U);
  // The removed box overlaps both kept boxes and votes for the one with the higher score. So the
  // edge is (0.9 * 0 + 0.8 * 40) / 1.7.
  EXPECT_NEAR(found.boxes[0].x1, 32 / 1.7, 1e-4);
  EXPECT_EQ(found.boxes[1], (Box{80, 0, 180, 100}));
}

TEST_F(JobSuppression, CandidatesWithoutRoomAreCountedAndTold) {
  options_.search.nms.rule = nms::NmsRule::matrix;
  options_.search.nms.matrix.d_max = 2;
  options_.search.nms.matrix.k = 1;
  EXPECT_THAT(faces(chain()).scores, testing::ElementsAre(0.9F));
  EXPECT_EQ(run_.result.counts.candidates, 6);
  EXPECT_EQ(run_.result.counts.candidates_ignored, 2) << "one in each of two frames";
  EXPECT_THAT(run_.result.notices,
              testing::Contains(testing::HasSubstr("2 candidates ignored: suppression takes 2")));
}

}  // namespace
}  // namespace facepipe::pipeline
