// These tests check how second looks decide about weak tracks.
#include "track/second_looks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "tests/track/scenes.h"
#include "track/cpu/motion.h"
#include "track/follower.h"
#include "track/waiting_frames.h"

namespace facepipe::track {
namespace {

constexpr Box kFace{100, 80, 140, 120};
constexpr double kStep_s = 0.04;

/// Follows faces through a still picture, and answers second looks with fixed scores.
class Film {
 public:
  explicit Film(Size picture = {320, 240})
      : picture_(std::make_shared<CpuMotionPicture>(test::render({.picture = picture}))) {}

  /// Adds a frame with these detections.
  void add(const Detections& found) {
    TrackerInput input{kStep_s * static_cast<double>(looks.size()), picture_, &found};
    looks.emplace_back();
    const SecondLook second = [this](std::span<const Box> faces) {
      looks.back().assign(faces.begin(), faces.end());
      return std::vector<float>(faces.size(), score);
    };
    take(frames_.add(follower_.follow(std::move(input), asks ? second : SecondLook())));
  }
  void add(float detected) {
    Detections found;
    found.push_back(kFace, detected);
    add(found);
  }
  void end() { take(frames_.flush(follower_.flush())); }

  float score = 0;                      ///< of second looks
  bool asks = true;                     ///< second looks are possible
  std::vector<std::vector<Box>> looks;  ///< the boxes that were looked at again in each frame
  std::vector<TrackedFrame> frames;
  std::vector<TrackSummary> ended;

 private:
  void take(TrackerOutput out) {
    frames.insert(frames.end(), out.frames.begin(), out.frames.end());
    ended.insert(ended.end(), out.ended.begin(), out.ended.end());
  }

  static TrackerOptions whole_file() {
    TrackerOptions options;
    options.look_ahead_s = std::numeric_limits<double>::infinity();
    return options;
  }

  std::shared_ptr<const MotionPicture> picture_;
  CpuMotionEstimator forwards_;
  CpuMotionEstimator backwards_;
  Follower follower_{forwards_, whole_file(), {}};
  WaitingFrames frames_{backwards_, whole_file()};
};

/// Returns whether the face is hidden in a frame.
bool hides(const Film& film, std::size_t frame) {
  bool hidden = false;
  for (const TrackedBox& box : film.frames.at(frame).boxes) hidden = hidden || box.hidden;
  return hidden;
}

TEST(SecondLooks, ShowWhatTheyRefuse) {
  Film film;
  for (int i = 0; i < 10; ++i) film.add(0.3F);
  film.end();
  ASSERT_EQ(film.ended.size(), 1U);
  EXPECT_FALSE(film.ended[0].hidden);
  EXPECT_EQ(film.ended[0].best_score, 0.3F);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_FALSE(hides(film, i)) << i;
}

TEST(SecondLooks, HideWhatTheyConfirm) {
  Film film;
  film.score = 0.6F;
  for (int i = 0; i < 10; ++i) film.add(0.12F);  // weaker than the first look hides
  film.end();
  ASSERT_EQ(film.ended.size(), 1U);
  EXPECT_TRUE(film.ended[0].hidden);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_TRUE(hides(film, i)) << i;
}

TEST(SecondLooks, HideEarlierFramesOfATrackThatTheyConfirmLater) {
  Film film;
  for (int i = 0; i < 10; ++i) {
    film.score = i < 6 ? 0 : 0.6F;
    film.add(0.2F);
  }
  film.end();
  for (std::size_t i = 0; i < 10; ++i) EXPECT_TRUE(hides(film, i)) << i;
}

TEST(SecondLooks, AreNotAskedAboutSureAndHopelessDetections) {
  Film film;
  film.add(kAloneScore);
  film.end();
  EXPECT_TRUE(film.looks[0].empty());
  EXPECT_TRUE(film.ended[0].hidden);
  Film hopeless;
  hopeless.add(0.04F);
  hopeless.end();
  EXPECT_TRUE(hopeless.looks[0].empty());
  EXPECT_FALSE(hopeless.ended[0].hidden);
}

TEST(SecondLooks, AreOverruledByASureDetection) {
  Film film;
  for (int i = 0; i < 4; ++i) film.add(0.3F);
  film.add(0.7F);
  film.end();
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(hides(film, i)) << i;
}

TEST(SecondLooks, ComeAgainAfterAWhileUntilTheTrackIsHidden) {
  Film film;
  for (int i = 0; i < 12; ++i) {
    if (i == 6) film.score = 0.9F;
    film.add(0.3F);
  }
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < film.looks.size(); ++i)
    if (!film.looks[i].empty()) asked.push_back(i);
  // Looks are at least 0.1 s apart. The look at frame 6 confirms the track.
  EXPECT_EQ(asked, (std::vector<std::size_t>{0, 3, 6}));
}

TEST(SecondLooks, LeaveTheDecisionToTheFirstLookWhereThereAreNone) {
  for (const float detected : {0.14F, 0.16F}) {
    Film film;
    film.asks = false;
    for (int i = 0; i < 5; ++i) film.add(detected);
    film.end();
    EXPECT_EQ(film.ended[0].hidden, detected > 0.15F);
  }
}

/// Returns a grid of detections that don't touch each other.
Detections grid(float side, float score) {
  Detections found;
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 9; ++x) {
      const float left = 5 + 33 * static_cast<float>(x);
      const float top = 5 + 33 * static_cast<float>(y);
      found.push_back({left, top, left + side, top + side}, score);
    }
  return found;
}

TEST(SecondLooks, AreLimitedAndPreferDetectionsThatWouldBeHidden) {
  Film film;
  Detections found = grid(30, 0.12F);
  const Box small{5, 210, 15, 220};
  found.push_back(small, 0.2F);
  film.add(found);
  film.add(found);
  EXPECT_EQ(film.looks[0].size(), 32U);
  EXPECT_EQ(film.looks[0].front(), small);
  EXPECT_EQ(film.looks[1].size(), 0U);  // 320 x 240 pixels pay for a third of a look
}

TEST(SecondLooks, ThatAreLeftOutLeaveTheDecisionToTheFirstLook) {
  Film film;
  const Detections found = grid(30, 0.2F);
  film.add(found);
  film.end();
  std::size_t hidden = 0;
  for (const TrackedBox& box : film.frames[0].boxes) hidden += box.hidden ? 1U : 0U;
  EXPECT_EQ(film.looks[0].size(), 32U);
  EXPECT_EQ(hidden, found.size() - 32);
}

TEST(SecondLooks, CompareEvidenceOfBothScores) {
  EXPECT_FLOAT_EQ(logit(0.5F), 0);
  EXPECT_NEAR(evidence_of(0.8F, 0.2F), 0.3F * std::log(4.0F), 1e-6);
  EXPECT_GT(evidence_of(0.16F, 0.15F), least_evidence_for(kFace));
  EXPECT_LT(evidence_of(0.15F, 0.15F), least_evidence_for(kFace));
  EXPECT_TRUE(std::isfinite(evidence_of(0, 1)));
}

TEST(SecondLooks, NeedMoreEvidenceForLargeBoxes) {
  const float usual = least_evidence_for({0, 0, 40, 40});
  EXPECT_EQ(least_evidence_for({0, 0, 10, 10}), usual);
  EXPECT_FLOAT_EQ(least_evidence_for({0, 0, 400, 400}), usual + 1.2F * std::log(10.0F));
}

}  // namespace
}  // namespace facepipe::track
