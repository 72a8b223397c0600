// These tests run jobs whose detector finds objects of two classes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr int kWidth = 96;
constexpr int kHeight = 64;
constexpr int kFrames = 12;
constexpr Box kFace{16, 16, 32, 32};
constexpr Box kPlate{64, 24, 80, 32};

/// Returns a face, a plate at the same place with a lower score, and a plate elsewhere.
Detections face_and_plates() {
  Detections found;
  found.push_back(kFace, 0.9F, Landmarks{});
  Detections plates;
  plates.push_back(kFace, 0.6F);
  plates.push_back(kPlate, 0.8F);
  append(found, plates, 1);
  return found;
}

class SeveralClasses : public testing::Test {
 protected:
  SeveralClasses() {
    video::redirect_ffmpeg_log();
    // Nothing moves, so that boxes stay as they are.
    ffmpeg("-f lavfi -i smptebars=s=96x64:r=25:d=0.48 -pix_fmt yuv420p -c:v ffv1", clip_);
    behaviour_.candidates = face_and_plates();
  }

  [[nodiscard]] pipeline::JobOptions hiding() const {
    pipeline::JobOptions options = lossless_job(clip_, folder_ / "out.mkv");
    options.hide.emplace().appearance.grow = 0;
    options.hide->classes = {{"face", "m", {}}, {"plate", "m", 0.5F}};
    return options;
  }
  /// Expects that exactly these boxes are black in all frames.
  void expect_black(const std::vector<Box>& hidden) const {
    const std::string before = decoded_luma(clip_);
    const std::string after = decoded_luma(folder_ / "out.mkv");
    ASSERT_EQ(after.size(), std::size_t{kFrames} * kWidth * kHeight);
    for (std::size_t i = 0; i < after.size(); ++i) {
      const auto x = static_cast<float>(i % kWidth);
      const auto y = static_cast<float>(i / kWidth % kHeight);
      const bool inside = std::ranges::any_of(hidden, [&](const Box& box) {
        return x >= box.x1 && x < box.x2 && y >= box.y1 && y < box.y2;
      });
      constexpr char kBlack = 0;  // FFmpeg's format gray has the full range
      ASSERT_EQ(after[i], inside ? kBlack : before[i]) << x << ", " << y;
    }
  }

  TemporaryFolder folder_;
  const fs::path clip_ = folder_ / "clip.mkv";
  FakeBehaviour behaviour_;
};

TEST_F(SeveralClasses, DontSuppressEachOther) {
  pipeline::JobOptions options = default_job(clip_, "");
  const JobRun run = run_fake_job(options, behaviour_);
  ASSERT_EQ(run.records.size(), std::size_t{kFrames});
  for (const FrameRecord& record : run.records) {
    EXPECT_THAT(record.faces.boxes, ElementsAre(kFace, kPlate, kFace));
    EXPECT_THAT(record.faces.classes, ElementsAre(0, 1, 1));
    EXPECT_TRUE(record.faces.has_landmarks(0));
    EXPECT_FALSE(record.faces.has_landmarks(1));
  }
}

TEST_F(SeveralClasses, HaveScoresAndOverlapsOfTheirOwn) {
  pipeline::JobOptions options = default_job(clip_, "");
  options.search.classes = {{0.95F, 0.3F}, {0.7F, 0.3F}};
  EXPECT_THAT(run_fake_job(options, behaviour_).records.front().faces.boxes, ElementsAre(kPlate));
  Detections twice = face_and_plates();
  append(twice, face_and_plates());
  behaviour_.candidates = twice;
  options.search.classes = {{0, 1}, {0, 0.3F}};
  EXPECT_THAT(run_fake_job(options, behaviour_).records.front().faces.classes,
              ElementsAre(0, 0, 1, 1))
      << "equal faces stay, because their overlap isn't over 1";
}

TEST_F(SeveralClasses, AreFollowedThroughFramesThatNobodySearches) {
  pipeline::JobOptions options = default_job(clip_, "");
  options.search.every = 3;
  options.search.face_score = 0.5F;
  for (const FrameRecord& record : run_fake_job(options, behaviour_).records)
    EXPECT_THAT(record.faces.classes, ElementsAre(0, 1, 1)) << record.index;
  options.search.classes = {{0.5F, 0.3F}, {0.7F, 0.3F}};
  for (const FrameRecord& record : run_fake_job(options, behaviour_).records)
    EXPECT_THAT(record.faces.classes, ElementsAre(0, 1)) << record.index;
}

TEST_F(SeveralClasses, HaveTracksOfTheirOwn) {
  pipeline::JobOptions options = default_job(clip_, "");
  options.follow.emplace();
  options.search.face_score = 0.5F;
  for (const FrameRecord& record : run_fake_job(options, behaviour_).records) {
    ASSERT_EQ(record.face_tracks.size(), 3U);
    EXPECT_NE(record.face_tracks[0], record.face_tracks[2]) << "they are at one place";
    EXPECT_EQ(std::ranges::count(record.face_tracks, kNoTrack), 0);
  }
}

TEST_F(SeveralClasses, AreHiddenEachByItsGrowth) {
  const JobRun run = run_fake_job(hiding(), behaviour_);
  EXPECT_EQ(run.result.ledger.written, kFrames);
  expect_black({{8, 8, 40, 40}, {56, 20, 88, 36}});
  for (const FrameRecord& record : run.records) {
    EXPECT_EQ(record.face_count, 3U);
    EXPECT_EQ(std::ranges::count(record.faces.classes, 1), 2);
  }
  behaviour_.candidates = one_face(kFace);
  static_cast<void>(run_fake_job(hiding(), behaviour_));
  expect_black({kFace});
}

TEST_F(SeveralClasses, AreHiddenInTheSameWayByAnEditFile) {
  pipeline::JobOptions options = hiding();
  options.hide->wants_tracks = true;
  const JobRun found = run_fake_job(options, behaviour_);
  ASSERT_EQ(found.result.tracks->tracks.size(), 3U);
  auto known = std::make_shared<pipeline::KnownTracks>();
  known->name = "t.json";
  known->file = *found.result.tracks;
  known->classes = options.hide->classes;
  options.hide->known = known;
  options.hide->wants_tracks = false;
  const JobRun run = run_fake_job(options, {});
  expect_black({{8, 8, 40, 40}, {56, 20, 88, 36}});
  for (const FrameRecord& record : run.records)
    EXPECT_EQ(std::ranges::count(record.faces.classes, 1), 2);
}

}  // namespace
}  // namespace facepipe::test
