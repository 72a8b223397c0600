// These tests find leaks in pictures that are textures. The fake detector knows where the faces
// are.
#include "verify/verifier.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/support/fake_detector.h"
#include "tests/verify/pictures.h"

namespace facepipe::verify {
namespace {

using test::FakeDetectorFactory;

constexpr Size kPicture{240, 160};
constexpr Box kFace{60, 40, 100, 88};
constexpr Box kAround{48, 28, 112, 100};
constexpr int kFrames = 20;

class VerifierTest : public testing::Test {
 protected:
  [[nodiscard]] std::vector<Finding> run(const Grey& after) {
    const Grey before = test::textured(kPicture, 4);
    Verifier verifier({0.1F, false, tracks_ ? &*tracks_ : nullptr}, Looks({{&original_, false}}),
                      Looks({{&hidden_, false}}));
    for (int i = 0; i < kFrames; ++i) {
      Frame frame = test::frame_of(before);
      frame.pts = i;
      frame.time_base = {1, 25};
      verifier.push({frame, test::frame_of(after), i, i / 25.0, false}, {});
    }
    std::vector<Finding> findings = verifier.finish();
    counts_ = verifier.counts();
    return findings;
  }

  static Grey original() { return test::textured(kPicture, 4); }
  static Grey hidden() {
    Grey picture = original();
    test::fill(picture, kAround, 16);
    return picture;
  }

  void file_with(track::TrackAction action, const Box& box, const std::string& style = {}) {
    tracks_.emplace();
    tracks_->input = {std::string(64, '0'), kFrames, kPicture, {1, 25}};
    track::FileTrack track;
    track.id = 7;
    track.action = action;
    track.origin = track::TrackOrigin::person;
    track.end_pts = kFrames - 1;
    track.style = style;
    track.boxes.push_back({0, box, track::BoxState::seen});
    tracks_->tracks.push_back(track);
  }

  /// Lets the detectors find faces with scores of another scale.
  void use(const ScoreScale& scale, const detector::ModelAbout& about, float in_original,
           float in_hidden) {
    original_ = FakeDetectorFactory(about);
    hidden_ = FakeDetectorFactory(about);
    original_.behaviour.candidates.push_back(kFace, scale.own(in_original));
    hidden_.behaviour.candidates.push_back(kFace, scale.own(in_hidden));
  }

  FakeDetectorFactory original_;
  FakeDetectorFactory hidden_;
  std::optional<track::TrackFile> tracks_;
  VerifyCounts counts_;
};

TEST_F(VerifierTest, AFaceThatIsHiddenIsNoLeak) {
  original_.behaviour.candidates.push_back(kFace, 0.8F);
  EXPECT_TRUE(run(hidden()).empty());
  EXPECT_EQ(counts_.detected, kFrames);
}

TEST_F(VerifierTest, ScoresMeanTheSameOnAllScales) {
  for (const float reference : {0.05F, 0.1F, 0.21F, 0.29F, 0.38F, 0.8F}) {
    detector::ModelAbout about;
    about.reference_score = reference;
    const ScoreScale scale(reference);
    const auto findings = [&](float in_original, float in_hidden, const Grey& picture) {
      use(scale, about, in_original, in_hidden);
      return run(picture);
    };
    EXPECT_TRUE(findings(0.09F, 0.01F, original()).empty()) << reference;
    const std::vector<Finding> shown = findings(0.11F, 0.01F, original());
    ASSERT_EQ(shown.size(), 1U) << reference;
    EXPECT_EQ(shown[0].best_score, scale.own(0.11F)) << "the detector's own score";
    // It depends on the score whether a face is seen where all detail is gone.
    EXPECT_TRUE(findings(0.8F, 0.58F, hidden()).empty()) << reference;
    EXPECT_EQ(findings(0.8F, 0.62F, hidden()).size(), 1U) << reference;
  }
}

TEST_F(VerifierTest, AFaceThatIsShownIsOneLeak) {
  original_.behaviour.candidates.push_back(kFace, 0.15F);
  const std::vector<Finding> found = run(original());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::leak);
  EXPECT_EQ(found[0].source, FindingSource::detection);
  EXPECT_EQ(found[0].frames, kFrames);
  EXPECT_FLOAT_EQ(found[0].best_score, 0.15F);
  EXPECT_EQ(found[0].clearest.box, kFace);
}

TEST_F(VerifierTest, ThatTheHiddenPictureTellsOfAPlaceCounts) {
  original_.behaviour.candidates.push_back(kFace, 0.04F);
  EXPECT_TRUE(run(original()).empty());
  hidden_.behaviour.candidates.push_back(kFace, 0.3F);
  const std::vector<Finding> found = run(original());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::leak);
}

TEST_F(VerifierTest, WhatOnlyTheHiddenPictureShowsIsTold) {
  hidden_.behaviour.candidates.push_back(kFace, 0.3F);
  hidden_.behaviour.candidates.push_back({150, 40, 180, 80}, 0.05F);  // this face's score is too
                                                                      // low to be reported
  const std::vector<Finding> found = run(hidden());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::only_there);
  EXPECT_EQ(found[0].frames, kFrames);
}

TEST_F(VerifierTest, AWeakCoverIsCosmetic) {
  original_.behaviour.candidates.push_back(kFace, 0.8F);
  const Grey full = original();
  Grey cells = full;
  for (int y = 0; y < kPicture.height; ++y)
    for (int x = 0; x < kPicture.width; ++x)
      test::pixel(cells, x, y) = full.at(x / 6 * 6 + 2, y / 6 * 6 + 2);
  const std::vector<Finding> found = run(cells);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::cosmetic);
}

TEST_F(VerifierTest, WhatTheEditFileHidesMustBeHidden) {
  file_with(track::TrackAction::hide, {150, 40, 180, 80});
  const std::vector<Finding> found = run(hidden());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::leak);
  EXPECT_EQ(found[0].source, FindingSource::edit_file);
  EXPECT_EQ(found[0].track, 7);
  EXPECT_EQ(found[0].frames, kFrames);
  EXPECT_EQ(counts_.from_file, kFrames);
  tracks_->tracks.clear();
  file_with(track::TrackAction::hide, kFace);
  EXPECT_TRUE(run(hidden()).empty());
}

TEST_F(VerifierTest, ItsStylesAndKeptTracksAreToldApart) {
  original_.behaviour.candidates.push_back(kFace, 0.8F);
  file_with(track::TrackAction::keep, kFace);
  ASSERT_EQ(run(original()).size(), 1U);
  EXPECT_EQ(run(original())[0].kind, FindingKind::kept);
  file_with(track::TrackAction::hide, {150, 40, 180, 80}, "mosaic");
  EXPECT_EQ(run(hidden()).at(0).kind, FindingKind::cosmetic);
}

TEST_F(VerifierTest, PicturesMayDifferInSize) {
  original_.behaviour.candidates.push_back(kFace, 0.8F);
  Grey half{{kPicture.width / 2, kPicture.height / 2}, {}};
  const Grey full = original();
  for (int y = 0; y < half.size.height; ++y)
    for (int x = 0; x < half.size.width; ++x) half.samples.push_back(full.at(2 * x, 2 * y));
  hidden_.behaviour.candidates.push_back({30, 20, 50, 44}, 0.8F);  // kFace at half the size
  const std::vector<Finding> found = run(half);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].kind, FindingKind::only_there);
}

}  // namespace
}  // namespace facepipe::verify
