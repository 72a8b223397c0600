// These tests draw faces with the numbers of their tracks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg.h"

namespace facepipe::test {
namespace {

using testing::Each;
using testing::ElementsAre;
namespace fs = std::filesystem;
using Ids = std::vector<std::int64_t>;

constexpr float kScore = 0.5F;
constexpr int kFrames = 50;

Box face_at(const Frame& frame, float y) {
  const auto x = 16 + static_cast<float>(frame.index);
  return {x, y, x + 24, y + 24};
}

/// Returns two faces that move right, and a detection below them that isn't a face. The lower face
/// is the first in the list; its score is low in the first frames, and it is missing in two later
/// frames.
Detections two_faces(const Frame& frame) {
  Detections faces;
  const bool weak = frame.index < 10;
  const bool away = frame.index >= 20 && frame.index < 22;
  if (!away) faces.push_back(face_at(frame, 96), weak ? 0.1F : 0.95F, Landmarks{});
  faces.push_back(face_at(frame, 20), 0.9F, Landmarks{});
  faces.push_back(face_at(frame, 150), 0.04F, Landmarks{});
  return faces;
}

class FollowTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { video::redirect_ffmpeg_log(); }
  FollowTest() {
    ffmpeg("-f lavfi -i testsrc2=s=320x192:r=25:d=2 -pix_fmt yuv420p -c:v ffv1", clip_);
    behaviour_.candidates_of = two_faces;
  }

  pipeline::JobOptions job(const char* output) const {
    pipeline::JobOptions options =
        lossless_job(clip_, output == nullptr ? fs::path() : folder_ / output);
    options.overlay = {.boxes = false, .ids = true};
    options.follow.emplace();
    options.search.face_score = kScore;
    return options;
  }

  TemporaryFolder folder_;
  const fs::path clip_ = folder_ / "clip.mkv";
  FakeBehaviour behaviour_;
};

TEST_F(FollowTest, AFaceKeepsItsIdWhateverItScoresAndThoughItIsAwayForAWhile) {
  const JobRun run = run_fake_job(job(nullptr), behaviour_);
  ASSERT_EQ(run.records.size(), std::size_t{kFrames});
  for (const FrameRecord& record : run.records) {
    const bool one = record.index < 10 || (record.index >= 20 && record.index < 22);
    EXPECT_EQ(record.face_tracks, one ? Ids{0} : Ids({1, 0})) << record.index;
  }
}

TEST_F(FollowTest, TheIdsAreThoseOfAJobThatTracks) {
  pipeline::JobOptions tracking = job(nullptr);
  tracking.follow.reset();
  tracking.search.face_score.reset();
  tracking.hide.emplace().wants_tracks = true;
  const JobRun all = run_fake_job(tracking, behaviour_);
  const JobRun run = run_fake_job(job(nullptr), behaviour_);
  ASSERT_EQ(run.records.size(), all.records.size());
  for (std::size_t i = 0; i < all.records.size(); ++i) {
    Ids strong;
    const FrameRecord& tracked = all.records[i];
    for (std::size_t face = 0; face < tracked.faces.size(); ++face)
      if (tracked.faces.scores[face] > kScore) strong.push_back(tracked.face_tracks[face]);
    EXPECT_THAT(run.records[i].face_tracks, testing::UnorderedElementsAreArray(strong)) << i;
  }
}

TEST_F(FollowTest, NothingElseOfAFrameIsChanged) {
  for (const nms::NmsRule rule : {nms::NmsRule::greedy, nms::NmsRule::soft}) {
    pipeline::JobOptions followed = job(nullptr);
    followed.search.nms.rule = rule;
    pipeline::JobOptions plain = followed;
    plain.follow.reset();
    plain.search.face_score.reset();
    FakeBehaviour strong;  // returns only faces above kScore, like a detector that isn't asked for
                           // weaker faces
    strong.candidates_of = [](const Frame& frame) {
      Detections found;
      const Detections all = two_faces(frame);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all.scores[i] > kScore) found.push_back(all.boxes[i], all.scores[i], all, i);
      return found;
    };
    const JobRun with = run_fake_job(followed, behaviour_);
    const JobRun without = run_fake_job(plain, strong);
    for (std::size_t i = 0; i < without.records.size(); ++i) {
      const FrameRecord& expected = without.records[i];
      EXPECT_EQ(with.records[i].faces.boxes, expected.faces.boxes) << i;
      EXPECT_EQ(with.records[i].faces.scores, expected.faces.scores) << i;
      EXPECT_EQ(with.records[i].faces.landmarks, expected.faces.landmarks) << i;
      EXPECT_EQ(with.records[i].face_count, expected.face_count) << i;
      EXPECT_EQ(with.records[i].candidates, expected.candidates) << i;
      EXPECT_TRUE(expected.face_tracks.empty());
    }
  }
}

TEST_F(FollowTest, TheSuppressionOfTracksIsAChoiceOfItsOwn) {
  FakeBehaviour behaviour;
  behaviour.candidates = one_face({20, 20, 60, 60});
  behaviour.candidates.push_back({36, 20, 76, 60}, 0.8F, Landmarks{});  // IoU 3 / 7
  pipeline::JobOptions options = job(nullptr);
  options.search.nms.threshold = 0.6F;
  EXPECT_THAT(run_fake_job(options, behaviour).records.back().face_tracks,
              ElementsAre(0, kNoTrack));
  options.search.followed_nms.threshold = 0.5F;
  EXPECT_THAT(run_fake_job(options, behaviour).records.back().face_tracks, ElementsAre(0, 1));
}

TEST_F(FollowTest, WeakDetectionsAreWeakOnTheDetectorsScale) {
  // A low score of another detector means what 0.1 means for CenterFace.
  pipeline::JobOptions options = job(nullptr);
  options.search.scales = ScoreScale(0.0441F);  // 0.21^2
  FakeBehaviour squared;
  squared.candidates_of = [](const Frame& frame) {
    Detections faces = two_faces(frame);
    for (float& score : faces.scores)
      if (score < 0.2F) score *= score;
    return faces;
  };
  const JobRun expected = run_fake_job(job(nullptr), behaviour_);
  const JobRun run = run_fake_job(options, squared);
  for (std::size_t i = 0; i < expected.records.size(); ++i)
    EXPECT_EQ(run.records[i].face_tracks, expected.records[i].face_tracks) << i;
}

TEST_F(FollowTest, AFaceThatTracksLeaveOutHasNoId) {
  FakeBehaviour behaviour;
  behaviour.candidates = one_face({20, 20, 60, 60});
  behaviour.candidates.push_back({36, 20, 76, 60}, 0.8F, Landmarks{});  // its IoU with the first
                                                                        // face is 3 / 7
  behaviour.candidates.push_back({68, 20, 108, 60}, 0.1F, Landmarks{});
  pipeline::JobOptions options = job(nullptr);
  options.search.nms.threshold = 0.6F;
  for (const FrameRecord& record : run_fake_job(options, behaviour).records)
    ASSERT_EQ(record.face_tracks, Ids({0, kNoTrack})) << record.index;
}

TEST_F(FollowTest, IdsAreDrawnAboveTheirFaces) {
  (void)run_fake_job(job("ids.mkv"), behaviour_);
  const std::string before = decoded_luma(clip_);
  const std::string after = decoded_luma(folder_ / "ids.mkv");
  ASSERT_EQ(after.size(), before.size());
  constexpr std::size_t kWidth = 320;
  constexpr std::size_t kPixels = kWidth * 192;
  const auto differ = [&](std::size_t frame, std::size_t from, std::size_t to) {
    const std::size_t at = frame * kPixels + from * kWidth;
    const std::size_t count = (to - from) * kWidth;
    return before.compare(at, count, after, at, count) != 0;
  };
  for (std::size_t frame = 0; frame < kFrames; ++frame) {
    const bool one = frame < 10 || (frame >= 20 && frame < 22);
    EXPECT_TRUE(differ(frame, 0, 20)) << frame;
    EXPECT_FALSE(differ(frame, 22, 74)) << frame;
    EXPECT_EQ(differ(frame, 74, 96), !one) << frame;
    EXPECT_FALSE(differ(frame, 98, 192)) << frame;
  }
}

TEST_F(FollowTest, ADamagedPictureHasFacesWithoutIds) {
  const fs::path clip = folder_ / "clip.264";
  ffmpeg("-f lavfi -i testsrc2=s=320x192:r=25:d=2 -pix_fmt yuv420p -c:v libx264 -bf 0 -g 25 -qp 20",
         clip);
  std::string bytes = read_file(clip);
  for (const std::size_t part : {3U, 4U, 5U}) bytes[bytes.size() / 8 * part] ^= '\x10';
  pipeline::JobOptions options = job(nullptr);
  options.input.name = folder_.write("damaged.264", bytes);
  options.resources.threads = 1;
  const JobRun run = run_fake_job(options, behaviour_);
  EXPECT_GT(run.result.ledger.damaged, 0);
  for (const FrameRecord& record : run.records) {
    EXPECT_EQ(record.face_tracks.size(), record.faces.size());
    if (record.damaged)
      EXPECT_THAT(record.face_tracks, Each(kNoTrack)) << record.index;
    else
      EXPECT_THAT(record.face_tracks, testing::Contains(0)) << record.index;
  }
}

TEST_F(FollowTest, SeveralLanesAreRefused) {
  pipeline::JobOptions options = job("out.avi");
  options.output.encoder = {"mjpeg", "", {}, {}};
  options.resources.lanes = 2;
  expect_error(ErrorKind::usage, "--lanes 2: tracking needs the pictures in their order",
               [&] { (void)run_fake_job(options, behaviour_); });
}

TEST_F(FollowTest, AStillImageHasIds) {
  const fs::path picture = folder_ / "picture.png";
  ffmpeg("-f lavfi -i testsrc2=s=320x192 -frames:v 1", picture);
  pipeline::JobOptions options = job("out.png");
  options.input.name = picture;
  options.output.encoder = {};
  const JobRun run = run_fake_job(options, behaviour_);
  ASSERT_EQ(run.records.size(), 1U);
  EXPECT_THAT(run.records[0].face_tracks, ElementsAre(0));
}

}  // namespace
}  // namespace facepipe::test
