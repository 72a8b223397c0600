// These tests run the tracker on pictures and detections whose faces are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "tests/support/expect_error.h"
#include "tests/track/scenes.h"
#include "track/cpu/motion.h"
#include "track/matching.h"
#include "track/tracker.h"

namespace facepipe::track {
namespace {

using test::Patch;
using test::Scene;

constexpr double kFps = 25;
constexpr double kStep = 1 / kFps;

struct Seen {
  Box box;
  float score = 0.8F;
  std::uint16_t found_class = 0;
};

Box shifted(const Box& box, float x, float y) {
  return {box.x1 + x, box.y1 + y, box.x2 + x, box.y2 + y};
}

/// Returns a picture, or null if the luma is empty, so that the tracker knows nothing about the
/// picture.
std::shared_ptr<const MotionPicture> picture_of(Luma luma) {
  if (luma.empty()) return nullptr;
  return std::make_shared<CpuMotionPicture>(std::move(luma));
}

/// Runs a tracker frame by frame and keeps its output.
class Film {
 public:
  explicit Film(TrackerOptions options = {},
                std::unique_ptr<MotionEstimator> motion = std::make_unique<CpuMotionEstimator>(),
                const ScoreScales& scales = {})
      : motion_(std::move(motion)), tracker_(*motion_, options, scales) {}

  void push(const Scene& scene, const std::vector<Seen>& faces, double step = kStep) {
    const Detections found = detections(faces);
    push_luma(test::render(scene), &found, step);
  }
  void push_luma(Luma luma, const Detections* found, double step = kStep, bool searched = true) {
    time_ += step;
    take(tracker_.push({time_, picture_of(std::move(luma)), found, searched}));
  }
  void flush() { take(tracker_.flush()); }

  static Detections detections(const std::vector<Seen>& faces) {
    Detections found;
    for (const auto& [box, score, found_class] : faces) {
      found.push_back(box, score);
      found.set_class_of_last(found_class);
    }
    return found;
  }

  [[nodiscard]] const TrackedFrame& frame(std::size_t i) const { return frames.at(i); }
  /// Returns which share of `face` the frame's hidden boxes cover, measured at 20x20 points.
  [[nodiscard]] float hidden(std::size_t i, const Box& face) const {
    int covered = 0;
    for (int p = 0; p < 400; ++p) {
      const int column = p % 20;
      const int row = p / 20;
      const float x = face.x1 + face.width() * (static_cast<float>(column) + 0.5F) / 20;
      const float y = face.y1 + face.height() * (static_cast<float>(row) + 0.5F) / 20;
      covered += std::ranges::any_of(frame(i).boxes, [&](const TrackedBox& b) {
        const float gx = b.grow * b.box.width();
        const float gy = b.grow * b.box.height();
        return b.hidden && x >= b.box.x1 - gx && x < b.box.x2 + gx && y >= b.box.y1 - gy &&
               y < b.box.y2 + gy;
      });
    }
    return static_cast<float>(covered) / 400;
  }
  [[nodiscard]] std::vector<BoxState> states(std::size_t i) const {
    std::vector<BoxState> all;
    for (const TrackedBox& box : frame(i).boxes) all.push_back(box.state);
    return all;
  }

  std::vector<TrackedFrame> frames;
  std::vector<TrackSummary> ended;

 private:
  void take(TrackerOutput out) {
    std::ranges::move(out.frames, std::back_inserter(frames));
    std::ranges::move(out.ended, std::back_inserter(ended));
  }

  std::unique_ptr<MotionEstimator> motion_;
  Tracker tracker_;
  double time_ = 0;
};

const Box kFace{100, 80, 140, 130};

/// Returns a film of a face that doesn't move. detected(i) says whether the face is detected in
/// frame i.
Film still_film(int frames, const std::function<bool(int)>& detected, TrackerOptions options = {},
                double step = kStep) {
  Film film(options);
  const Scene scene{.patches = {{kFace, 9}}};
  for (int i = 0; i < frames; ++i)
    film.push(scene, detected(i) ? std::vector<Seen>{{kFace}} : std::vector<Seen>{}, step);
  film.flush();
  return film;
}

/// Returns a film in which the camera moves past a face. Every n-th frame is searched (n is
/// `every`), and detected(i) says whether the face is detected in frame i.
Film searched_film(int frames, int every, const std::function<bool(int)>& detected,
                   float score = 0.8F) {
  Film film;
  for (int i = 0; i < frames; ++i) {
    const Scene scene{.camera = Similarity{1, 0, 2 * static_cast<float>(i), 0}};
    const Box face = shifted(kFace, 2 * static_cast<float>(i), 0);
    const Detections found =
        Film::detections(detected(i) ? std::vector<Seen>{{face, score}} : std::vector<Seen>{});
    film.push_luma(test::render(scene), i % every == 0 ? &found : nullptr, kStep, i % every == 0);
  }
  film.flush();
  return film;
}

/// Returns a film of faces that don't move, in which all thresholds of the tracker matter. Each
/// face has another score, or isn't detected, every few frames. Scores are those of a detector
/// whose scale is `scale`.
Film film_of_all_scores(const ScoreScale& scale) {
  constexpr float kScores[]{0,     0,     0.02F, 0.04F, 0.04F, 0.08F,
                            0.14F, 0.17F, 0.2F,  0.24F, 0.28F, 0.8F};
  struct Face {
    Box box;
    float most = 1;  ///< its highest score
    float score = 0;
    int frames = 0;  ///< for which it keeps this score
  };
  std::vector<Face> faces{{{10, 10, 34, 38}},
                          {{60, 10, 100, 50}, 0.28F},
                          {{10, 70, 90, 150}, 0.2F},
                          {{120, 60, 300, 230}, 0.24F}};
  Film film({}, std::make_unique<CpuMotionEstimator>(), scale);
  std::minstd_rand random(5);
  for (int i = 0; i < 200; ++i) {
    Scene scene;
    std::vector<Seen> seen;
    for (Face& face : faces) {
      if (face.frames-- == 0) {
        face.score = std::min(face.most, kScores[random() % std::size(kScores)]);
        face.frames = static_cast<int>(random() % 7);
      }
      scene.patches.push_back({face.box, static_cast<unsigned>(face.box.x2)});
      if (face.score > 0) seen.push_back({face.box, scale.own(face.score)});
    }
    film.push(scene, seen);
  }
  film.flush();
  return film;
}

TEST(Tracker, FollowsDetectorsOfAllScalesInTheSameWay) {
  const Film usual = film_of_all_scores({});
  for (const float reference : {0.1F, 0.38F}) {
    const ScoreScale scale(reference);
    const Film film = film_of_all_scores(scale);
    ASSERT_EQ(film.frames.size(), usual.frames.size());
    for (std::size_t i = 0; i < usual.frames.size(); ++i) {
      const std::vector<TrackedBox>& expected = usual.frame(i).boxes;
      const std::vector<TrackedBox>& boxes = film.frame(i).boxes;
      ASSERT_EQ(boxes.size(), expected.size()) << reference << ": " << i;
      for (std::size_t k = 0; k < boxes.size(); ++k) {
        EXPECT_EQ(boxes[k].track, expected[k].track);
        EXPECT_EQ(boxes[k].box, expected[k].box);
        EXPECT_EQ(boxes[k].state, expected[k].state);
        EXPECT_EQ(boxes[k].hidden, expected[k].hidden) << reference << ": " << i;
        EXPECT_EQ(boxes[k].score, scale.own(expected[k].score)) << "the detector's own score";
      }
    }
    ASSERT_EQ(film.ended.size(), usual.ended.size());
    for (std::size_t k = 0; k < usual.ended.size(); ++k)
      EXPECT_EQ(film.ended[k].best_score, scale.own(usual.ended[k].best_score));
  }
}

TEST(Tracker, GoesThroughFramesThatNobodyHasSearched) {
  for (const int every : {2, 5, 8}) {
    const Film film = searched_film(33, every, [](int) { return true; });
    ASSERT_EQ(film.ended.size(), 1U) << every;
    for (std::size_t i = 0; i < film.frames.size(); ++i) {
      const bool searched = i % static_cast<std::size_t>(every) == 0;
      EXPECT_EQ(film.frame(i).searched, searched);
      EXPECT_FALSE(film.frame(i).hide_all);
      EXPECT_GT(film.hidden(i, shifted(kFace, 2 * static_cast<float>(i), 0)), 0.97F)
          << every << ": " << i;
      const bool behind_the_last =
          i > 32U / static_cast<unsigned>(every) * static_cast<unsigned>(every);
      for (const TrackedBox& box : film.frame(i).boxes) {
        EXPECT_EQ(box.state, searched          ? BoxState::seen
                             : behind_the_last ? BoxState::held
                                               : BoxState::filled);
        EXPECT_FLOAT_EQ(box.score, box.state == BoxState::held ? 0 : 0.8F);
      }
    }
  }
}

/// A face is detected in the first frames, and then something else in the same place.
Film film_of_classes(std::uint16_t later) {
  Film film;
  const Scene scene{.patches = {{kFace, 9}}};
  for (int i = 0; i < 20; ++i) {
    const std::uint16_t its = i < 10 ? std::uint16_t{0} : later;
    film.push(scene, {{kFace, 0.8F, its}});
  }
  film.flush();
  return film;
}

TEST(Tracker, TracksOfTwoClassesDontJoin) {
  ASSERT_EQ(film_of_classes(0).ended.size(), 1U);
  const Film film = film_of_classes(3);
  ASSERT_EQ(film.ended.size(), 2U);
  for (const TrackSummary& track : film.ended) {
    const bool later = track.found_class == 3;
    EXPECT_EQ(track.found_class, later ? 3 : 0);
    EXPECT_EQ(track.sightings, 10);
    // Each is hidden for a while where the other one was seen.
    if (later)
      EXPECT_LT(track.first_frame, 10);
    else
      EXPECT_GT(track.last_frame, 9);
  }
  for (const TrackedFrame& frame : film.frames)
    for (const TrackedBox& box : frame.boxes) {
      const auto track = std::ranges::find(film.ended, box.track, &TrackSummary::id);
      EXPECT_EQ(box.found_class, track->found_class) << frame.number;
    }
}

TEST(Tracker, WeakDetectionsOfAnotherClassDontContinueATrackBackwards) {
  Film film;
  const Scene scene{.patches = {{kFace, 9}}};
  for (int i = 0; i < 20; ++i)
    film.push(scene, {{kFace, i < 10 ? 0.1F : 0.8F, static_cast<std::uint16_t>(i < 10 ? 1 : 0)}});
  film.flush();
  for (const TrackedFrame& frame : film.frames)
    for (const TrackedBox& box : frame.boxes) {
      if (box.found_class != 0 || frame.number >= 10) continue;
      EXPECT_EQ(box.state, BoxState::held) << frame.number;
      EXPECT_GE(frame.number, 6) << "after that the face is held no longer";
    }
}

TEST(Tracker, AFaceWithinAPersonFollowsItsOwnPoints) {
  // The two boxes overlap, but as they are of two classes, they are not faces that cross.
  const Box person{80, 60, 160, 200};
  const auto film_with = [&](bool with_person) {
    Film film;
    for (int i = 0; i < 12; ++i) {
      const float x = 3 * static_cast<float>(i);
      const Scene scene{.patches = {{shifted(kFace, x, 0), 9}}};
      std::vector<Seen> seen;
      if (i < 6) seen.push_back({shifted(kFace, x, 0)});
      if (with_person) seen.push_back({shifted(person, x, 0), 0.8F, 1});
      film.push(scene, seen);
    }
    film.flush();
    return film;
  };
  const Film alone = film_with(false);
  const Film both = film_with(true);
  for (std::size_t i = 0; i < alone.frames.size(); ++i) {
    std::vector<Box> boxes;
    for (const TrackedBox& box : both.frame(i).boxes)
      if (box.found_class == 0) boxes.push_back(box.box);
    ASSERT_EQ(boxes.size(), alone.frame(i).boxes.size()) << i;
    for (std::size_t k = 0; k < boxes.size(); ++k)
      EXPECT_EQ(boxes[k], alone.frame(i).boxes[k].box) << i;
  }
}

TEST(Tracker, AFaceIsMissedWhereItWasSearchedForAlone) {
  // One search misses the face. So it isn't detected for 0.32 s, which is much longer than a
  // suggested face is held.
  const Film film = searched_film(
      25, 4, [](int i) { return i != 8; }, 0.2F);
  ASSERT_EQ(film.ended.size(), 1U);
  for (std::size_t i = 0; i <= 24; ++i)
    EXPECT_GT(film.hidden(i, shifted(kFace, 2 * static_cast<float>(i), 0)), 0.97F) << i;
}

TEST(Tracker, ANewFaceIsHiddenBackToTheSearchThatMissedIt) {
  const Film film = searched_film(25, 8, [](int i) { return i >= 16; });
  for (std::size_t i = 8; i <= 24; ++i)
    EXPECT_GT(film.hidden(i, shifted(kFace, 2 * static_cast<float>(i), 0)), 0.9F) << i;
  EXPECT_EQ(film.hidden(4, shifted(kFace, 8, 0)), 0);
}

TEST(Tracker, GivesEachFrameOnceInOrder) {
  const Film film = still_film(40, [](int) { return true; });
  ASSERT_EQ(film.frames.size(), 40U);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(film.frame(i).number, static_cast<std::int64_t>(i));
    EXPECT_NEAR(film.frame(i).time_s, kStep * static_cast<double>(i + 1), 1e-9);
    EXPECT_EQ(film.frame(i).cut, i == 0);
    EXPECT_FALSE(film.frame(i).hide_all);
    ASSERT_EQ(film.frame(i).boxes.size(), 1U);
    EXPECT_EQ(film.frame(i).boxes[0].state, BoxState::seen);
    EXPECT_EQ(film.frame(i).boxes[0].track, 0);
    EXPECT_GT(iou(film.frame(i).boxes[0].box, kFace), 0.98F);
  }
  ASSERT_EQ(film.ended.size(), 1U);
  const TrackSummary& track = film.ended[0];
  EXPECT_EQ(track.first_frame, 0);
  EXPECT_EQ(track.last_frame, 39);
  EXPECT_EQ(track.sightings, 40);
  EXPECT_EQ(track.best_score, 0.8F);
  EXPECT_TRUE(track.hidden);
}

/// Each frame has an empty box, a face, and a face whose score is low at first.
TEST(Tracker, TellsAtOnceWhoTookADetectionWhateverTheLookAhead) {
  for (const double look_ahead_s : {0.0, 0.5}) {
    CpuMotionEstimator motion;
    Tracker tracker(motion, {.look_ahead_s = look_ahead_s});
    const Scene scene{.patches = {{kFace, 9}}};
    for (int i = 0; i < 8; ++i) {
      Detections found;
      found.push_back({0, 0, 0, 0}, 0.9F);
      found.push_back({200, 20, 230, 60}, 0.9F);
      found.push_back(kFace, i < 4 ? 0.06F : 0.9F);
      const TrackerOutput out = tracker.push({kStep * i, picture_of(test::render(scene)), &found});
      EXPECT_EQ(out.taken_by, (std::vector<std::int64_t>{kNoTrack, 0, 1})) << i;
    }
    const Detections none;
    EXPECT_TRUE(tracker.push({1, picture_of(test::render(scene)), &none}).taken_by.empty());
    EXPECT_TRUE(tracker.push({2, picture_of(test::render(scene)), nullptr}).taken_by.empty());
    Detections one;
    one.push_back(kFace, 0.9F);
    EXPECT_EQ(tracker.push({3, nullptr, &one}).taken_by, std::vector<std::int64_t>{kNoTrack});
  }
}

TEST(Tracker, LetsAFrameOutWhenItsLookAheadIsComplete) {
  Film film({.look_ahead_s = 0.2});
  for (int i = 0; i < 12; ++i) {
    film.push({}, {});
    // The look-ahead is 5 frames.
    EXPECT_EQ(film.frames.size(), static_cast<std::size_t>(std::max(0, i - 4))) << i;
  }
}

TEST(Tracker, HoldsAFaceForAWhile) {
  const Film film = still_film(40, [](int i) { return i < 10; }, {.gap_s = 0});
  for (std::size_t i = 10; i < 13; ++i) {
    EXPECT_GT(film.hidden(i, kFace), 0.99F) << i;
    EXPECT_EQ(film.states(i), std::vector{BoxState::held}) << i;
    EXPECT_NEAR(film.frame(i).boxes[0].grow, 0.02 * static_cast<double>(i - 9), 1e-4) << i;
  }
  EXPECT_TRUE(film.frame(13).boxes.empty());  // frame 12 is 0.12 s after frame 9
  EXPECT_EQ(film.ended.at(0).last_frame, 12);
}

TEST(Tracker, HidesAShortOcclusionAsOneTrack) {
  const Film film = still_film(40, [](int i) { return i < 10 || i > 20; });
  for (std::size_t i = 10; i <= 20; ++i) {
    EXPECT_EQ(film.hidden(i, kFace), 1) << i;
    EXPECT_EQ(film.states(i), (std::vector{BoxState::filled, BoxState::filled})) << i;
  }
  EXPECT_EQ(film.ended.size(), 1U);
}

TEST(Tracker, StartsAnotherTrackAfterALongOcclusion) {
  const Film film = still_film(60, [](int i) { return i < 10 || i > 40; });
  EXPECT_EQ(film.ended.size(), 2U);
  EXPECT_EQ(film.hidden(12, kFace), 1);  // the face is held after its last detection
  EXPECT_EQ(film.hidden(13, kFace), 0);
  EXPECT_EQ(film.hidden(38, kFace), 1);  // the face is held before its first detection
  EXPECT_EQ(film.hidden(37, kFace), 0);
}

TEST(Tracker, KeepsATrackForAsLongAsItMayBeMissedInAWholeFile) {
  const Film film =
      still_film(100, [](int i) { return i < 10 || i > 80; },
                 {.gap_s = 4, .look_ahead_s = std::numeric_limits<double>::infinity()});
  ASSERT_EQ(film.ended.size(), 1U);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(film.hidden(i, kFace), 1) << i;
}

TEST(Tracker, GivesNothingOfAWholeFileBeforeTheEnd) {
  Film film({.look_ahead_s = std::numeric_limits<double>::infinity()});
  for (int i = 0; i < 600; ++i) film.push({.picture = {8, 8}}, {});
  EXPECT_TRUE(film.frames.empty());
  film.flush();
  EXPECT_EQ(film.frames.size(), 600U);
}

TEST(Tracker, EndsAllTracksAtACut) {
  Film film;
  const Scene first{.patches = {{kFace, 9}}};
  Luma other = test::render({.seed = 70});
  for (std::size_t i = 0; i < other.samples.size() / 2; ++i) other.samples[i] /= 8;
  for (int i = 0; i < 10; ++i) film.push(first, {{kFace}});
  const Detections none;
  for (int i = 0; i < 3; ++i) film.push_luma(other, &none);
  const Detections found = Film::detections({{kFace}});
  for (int i = 0; i < 5; ++i) film.push_luma(other, &found);
  film.flush();
  EXPECT_TRUE(film.frame(10).cut);
  ASSERT_FALSE(film.frame(10).boxes.empty());  // the second face is held backwards from frame 13
  EXPECT_EQ(film.frame(10).boxes[0].track, 1);
  EXPECT_EQ(film.frame(9).boxes.size(), 1U);  // only the first face: nothing is held across the cut
  ASSERT_EQ(film.ended.size(), 2U);
  EXPECT_EQ(film.ended[0].last_frame, 9);
}

TEST(Tracker, GoesBackwardsToWeakerDetections) {
  // The face comes nearer: while it moves, its score becomes higher.
  Film film;
  const auto at = [](int i) { return shifted(kFace, 3 * static_cast<float>(i), 0); };
  for (int i = 0; i < 30; ++i) {
    const float score = i < 3 ? 0 : i < 12 ? 0.06F : 0.9F;
    film.push({.patches = {{at(i), 9}}},
              score > 0 ? std::vector<Seen>{{at(i), score}} : std::vector<Seen>{});
  }
  film.flush();
  for (int i = 0; i < 30; ++i)
    EXPECT_GT(film.hidden(static_cast<std::size_t>(i), at(i)), 0.95F) << i;
  EXPECT_EQ(film.ended.size(), 1U);
}

TEST(Tracker, HidesAWeakDetectionInItsFrameOnly) {
  Film film;
  const Box large{100, 60, 200, 160};  // with this size, a score of 0.197 is needed to start a
                                       // hidden track (start_score_of())
  for (int i = 0; i < 40; ++i) {
    const float score = i == 20 ? 0.18F : i > 14 && i < 30 ? 0.06F : 0;
    film.push({.patches = {{large, 9}}},
              score > 0 ? std::vector<Seen>{{large, score}} : std::vector<Seen>{});
  }
  film.flush();
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(film.hidden(i, large), i == 20 ? 1 : 0) << i;
  ASSERT_EQ(film.ended.size(), 1U);
  EXPECT_FALSE(film.ended[0].hidden);
  EXPECT_EQ(film.ended[0].best_score, 0.18F);
  EXPECT_EQ(film.frame(16).boxes.size(), 1U);  // the face is tracked, as a suggested one
}

TEST(Tracker, PassesOverWhatIsNotEvenSuggested) {
  // These scores are enough only to continue a hidden track, and there is none.
  Film film({.lone_score = 0.12F, .suggest_score = 0.1F});
  for (const float score : {0.06F, 0.09F, 0.06F}) film.push({}, {{kFace, score}});
  film.flush();
  EXPECT_TRUE(film.ended.empty());
  // A face whose score reaches lone_score is hidden, even if it counts as suggested.
  Film lone({.lone_score = 0.12F, .suggest_score = 1});
  lone.push({}, {{kFace, 0.13F}});
  lone.flush();
  EXPECT_EQ(lone.hidden(0, kFace), 1);
}

TEST(Tracker, NeedsHigherScoresOfLargerFaces) {
  EXPECT_FLOAT_EQ(start_score_of({0, 0, 40, 40}, 0.15F), 0.15F);
  EXPECT_FLOAT_EQ(start_score_of({0, 0, 80, 80}, 0.15F), 0.15F * std::pow(2.0F, 0.3F));
  EXPECT_FLOAT_EQ(start_score_of({0, 0, 400, 400}, 0.15F), 0.25F);
  EXPECT_FLOAT_EQ(start_score_of({0, 0, 2, 2}, 0.15F), 0.15F);
  EXPECT_FLOAT_EQ(start_score_of({0, 0, 400, 400}, 0.5F), 0.5F);
}

TEST(Tracker, CoversTheRimOfANeighbour) {
  // In every other frame, the detected box is too small. The boxes of the neighbouring frames must
  // cover the rest of the face.
  Film film;
  const Box half{100, 80, 140, 105};
  for (int i = 0; i < 20; ++i) film.push({.patches = {{kFace, 9}}}, {{i % 2 == 0 ? kFace : half}});
  film.flush();
  for (std::size_t i = 0; i < 20; ++i) EXPECT_GT(film.hidden(i, kFace), 0.95F) << i;
}

TEST(Tracker, FollowsAFaceThroughAPan) {
  Film film;
  for (int i = 0; i < 30; ++i) {
    const float x = 6 * static_cast<float>(i);
    const Box face = shifted(kFace, -x / 2, 0);  // the face moves against the camera
    const bool detected = i < 10 || i > 17;
    film.push({.camera = {1, 0, -x, 0}, .patches = {{face, 9}}},
              detected ? std::vector<Seen>{{face}} : std::vector<Seen>{});
  }
  film.flush();
  for (int i = 0; i < 30; ++i)
    EXPECT_GT(
        film.hidden(static_cast<std::size_t>(i), shifted(kFace, -3 * static_cast<float>(i), 0)),
        0.97F)
        << i;
  EXPECT_EQ(film.ended.size(), 1U);
}

TEST(Tracker, HoldsWhatEntersAtTheBorder) {
  // The face enters the picture from the left by 8 pixels a frame. It is detected when it is
  // completely inside.
  Film film;
  const auto at = [](int i) { return shifted({-40, 80, 0, 130}, 8 * static_cast<float>(i), 0); };
  for (int i = 0; i < 20; ++i)
    film.push({.patches = {{at(i), 9}}}, i >= 6 ? std::vector<Seen>{{at(i)}} : std::vector<Seen>{});
  film.flush();
  for (int i = 3; i < 20; ++i)
    EXPECT_GT(film.hidden(static_cast<std::size_t>(i), at(i)), 0.8F) << i;
}

TEST(Tracker, HoldsWhatHasLeftAtTheBorderAtMost) {
  Film film;
  for (int i = 0; i < 20; ++i) {
    const Box face = shifted(kFace, -15 * static_cast<float>(i), 0);
    film.push({.patches = {{face, 9}}}, i < 8 ? std::vector<Seen>{{face}} : std::vector<Seen>{});
  }
  film.flush();
  for (const TrackedFrame& frame : film.frames)
    for (const TrackedBox& box : frame.boxes) EXPECT_GT(box.box.x2, 0) << frame.number;
  EXPECT_TRUE(film.frame(18).boxes.empty());
}

TEST(Tracker, KeepsTwoApartThatCross) {
  // One face moves right, and the other one moves left in front of it, both by 6 pixels a frame.
  Film film;
  const auto right = [](int i) { return shifted({20, 80, 60, 130}, 6 * static_cast<float>(i), 0); };
  const auto left = [](int i) {
    return shifted({260, 90, 300, 140}, -6 * static_cast<float>(i), 0);
  };
  for (int i = 0; i < 40; ++i) {
    std::vector<Seen> faces{{left(i), 0.9F}};
    if (iou(left(i), right(i)) < 0.3F) faces.push_back({right(i), 0.8F});
    film.push({.patches = {{right(i), 9}, {left(i), 10}}}, faces);
  }
  film.flush();
  for (int i = 0; i < 40; ++i) {
    EXPECT_GT(film.hidden(static_cast<std::size_t>(i), left(i)), 0.97F) << i;
    EXPECT_GT(film.hidden(static_cast<std::size_t>(i), right(i)), 0.9F) << i;
  }
  EXPECT_EQ(film.ended.size(), 2U);
  for (const TrackedBox& box : film.frame(39).boxes)
    EXPECT_GT(iou(box.box, box.track == 0 ? left(39) : right(39)), 0.8F);
}

/// Two faces move towards each other by 10 pixels a frame each. In frame 10, they are side by side.
Box to_the_right(float frame) { return shifted({40, 80, 80, 130}, 10 * frame, 0); }
Box to_the_left(float frame) { return shifted({260, 90, 300, 140}, -10 * frame, 0); }
Scene meeting(float frame) {
  return {.patches = {{to_the_right(frame), 9}, {to_the_left(frame), 10}}};
}

TEST(Tracker, MovesCrossingFacesOnByTheTimeSinceTheLastGoodPicture) {
  Film film;
  const auto faces = [](float frame) {
    return std::vector<Seen>{{to_the_right(frame), 0.8F}, {to_the_left(frame), 0.9F}};
  };
  float frame = 0;
  for (; frame < 10; ++frame) film.push(meeting(frame), faces(frame));
  film.push(meeting(10), faces(10));
  film.push(meeting(11), faces(11));
  const Detections none;
  film.push_luma({}, &none);
  film.push(meeting(13), {});
  film.flush();
  ASSERT_EQ(film.frame(13).boxes.size(), 2U);
  EXPECT_GT(iou(film.frame(13).boxes[0].box, to_the_right(13)), 0.8F);
  EXPECT_GT(iou(film.frame(13).boxes[1].box, to_the_left(13)), 0.8F);
}

TEST(Tracker, KeepsCrossingFacesInThePictureHoweverLongAFrameIs) {
  Film film;
  for (float frame = 0; frame < 12; ++frame)
    film.push(meeting(frame), {{to_the_right(frame)}, {to_the_left(frame)}});
  film.push(meeting(11), {}, 3);
  film.flush();
  EXPECT_GT(film.hidden(12, to_the_right(11)), 0.97F);
  EXPECT_GT(film.hidden(12, to_the_left(11)), 0.97F);
}

TEST(Tracker, MovesCrossingFacesOnThoughStampsAreCloseTogether) {
  // The frames of a pair are a millisecond apart, and the detections in a pair have an error of 2
  // pixels.
  Film film;
  float last = 0;
  for (int i = 0; i < 22; ++i) {
    const bool pair = i % 2 == 1;
    const float off = pair ? 2 : 0;
    const int moved = i / 2;
    last = static_cast<float>(moved);
    film.push(meeting(last), {{shifted(to_the_right(last), off, 0)}, {to_the_left(last)}},
              pair ? 0.001 : 0.039);
  }
  film.push(meeting(11), {}, 0.039);
  film.flush();
  EXPECT_EQ(last, 10);
  EXPECT_GT(film.hidden(22, to_the_right(11)), 0.8F);
}

TEST(Tracker, FillsWhatStillWaitsOfAGapOfManyFrames) {
  // The film has 5,000 frames a second. A gap has 2,000 frames, and at its end only 511 frames
  // still wait.
  Film film({.hold_s = 0});
  const Scene scene{.picture = {64, 64}};
  const Box face{16, 16, 48, 48};
  for (int i = 0; i < 2010; ++i)
    film.push(scene, i < 5 || i >= 2005 ? std::vector<Seen>{{face}} : std::vector<Seen>{}, 0.0002);
  film.flush();
  EXPECT_EQ(film.ended.size(), 1U);
  EXPECT_EQ(film.hidden(1400, face), 0);
  for (std::size_t i = 1500; i < 2010; ++i) EXPECT_EQ(film.hidden(i, face), 1) << i;
}

TEST(Tracker, GivesNothingAfterAnError) {
  // After an error, the frames that wait could lack boxes that the failed frame would have added.
  Detections many;
  for (std::size_t i = 0; i <= kMostDetections; ++i) many.push_back(kFace, 0.5F);
  const Detections none;
  CpuMotionEstimator motion;
  Tracker tracker(motion);
  static_cast<void>(tracker.push({0, picture_of(test::render({})), &none}));
  EXPECT_THROW(static_cast<void>(tracker.push({1, picture_of(test::render({})), &many})), Error);
  test::expect_error(ErrorKind::internal, "tracks: used after an error", [&] {
    static_cast<void>(tracker.push({2, picture_of(test::render({})), &none}));
  });
  test::expect_error(ErrorKind::internal, "tracks: used after an error",
                     [&] { static_cast<void>(tracker.flush()); });
}

TEST(Tracker, HidesAllOfAFrameWithoutDetections) {
  Film film;
  const Scene scene{.patches = {{kFace, 9}}};
  for (int i = 0; i < 10; ++i) film.push(scene, {{kFace}});
  film.push_luma(test::render(scene), nullptr);
  for (int i = 0; i < 10; ++i) film.push(scene, {{kFace}});
  film.flush();
  for (std::size_t i = 0; i < film.frames.size(); ++i)
    EXPECT_EQ(film.frame(i).hide_all, i == 10) << i;
  EXPECT_EQ(film.ended.size(), 1U);
}

TEST(Tracker, LooksPastADamagedPicture) {
  // Meanwhile the camera moves. If the damaged picture were compared, it would look like a cut.
  Film film;
  const auto scene = [](int i) {
    const float x = 5 * static_cast<float>(i);
    return Scene{.camera = {1, 0, x, 0}, .patches = {{shifted(kFace, x, 0), 9}}};
  };
  const auto face = [](int i) { return shifted(kFace, 5 * static_cast<float>(i), 0); };
  const Detections none;
  for (int i = 0; i < 10; ++i) film.push(scene(i), {{face(i)}});
  film.push_luma({}, &none);
  film.push_luma({}, nullptr);
  for (int i = 12; i < 15; ++i) film.push(scene(i), {});
  for (int i = 15; i < 20; ++i) film.push(scene(i), {{face(i)}});
  film.flush();
  EXPECT_EQ(film.ended.size(), 1U);
  for (int i = 0; i < 20; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(film.frame(at).hide_all, i == 10 || i == 11);
    EXPECT_EQ(film.frame(at).cut, i == 0);
    if (film.frame(at).hide_all) continue;
    EXPECT_GT(film.hidden(at, face(i)), 0.97F) << i;
  }
}

TEST(Tracker, GoesBackwardsPastADamagedPicture) {
  Film film({.hold_s = 0.4});
  const Scene scene{.patches = {{kFace, 9}}};
  for (int i = 0; i < 10; ++i) film.push(scene, {});
  film.push_luma({}, nullptr);
  film.push(scene, {{kFace}});
  film.flush();
  for (std::size_t i = 3; i < 12; ++i) EXPECT_EQ(film.hidden(i, kFace), 1) << i;
}

TEST(Tracker, CountsTimeNotFrames) {
  // One film has 100 frames a second, and the other one has 5. In both, a face is held for 0.4 s.
  const Film fast = still_film(
      200, [](int i) { return i < 20; }, {.hold_s = 0.4, .gap_s = 0}, 0.01);
  EXPECT_EQ(fast.hidden(59, kFace), 1);
  EXPECT_EQ(fast.hidden(60, kFace), 0);
  const Film slow = still_film(
      20, [](int i) { return i < 5; }, {.hold_s = 0.4, .gap_s = 0}, 0.2);
  EXPECT_EQ(slow.hidden(6, kFace), 1);
  EXPECT_EQ(slow.hidden(7, kFace), 0);
}

TEST(Tracker, HoldsForOneFrameHoweverLongItIs) {
  const Film film = still_film(
      8, [](int i) { return i == 3; }, {}, 10);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(film.hidden(i, kFace), i >= 2 && i <= 4 ? 1 : 0) << i;
}

TEST(Tracker, TakesFramesOfChangingDistance) {
  Film film;
  const Scene scene{.patches = {{kFace, 9}}};
  const std::vector<double> steps{0.04, 0.001, 0.2, 0.04, 0.3, 0.02, 0.02, 0.1, 0.04, 0.04};
  for (std::size_t i = 0; i < steps.size(); ++i)
    film.push(scene, i % 3 == 0 ? std::vector<Seen>{{kFace}} : std::vector<Seen>{}, steps[i]);
  film.flush();
  ASSERT_EQ(film.frames.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(film.hidden(i, kFace), 1) << i;
}

TEST(Tracker, RefusesATimeThatDoesNotFollow) {
  for (const double time :
       {0.04, 0.0, -1.0, static_cast<double>(NAN), std::numeric_limits<double>::infinity()}) {
    CpuMotionEstimator motion;
    Tracker tracker(motion);
    const Detections none;
    EXPECT_TRUE(tracker.push({0.04, picture_of(test::render({})), &none}).frames.empty());
    test::expect_error(ErrorKind::internal, "tracks: frame 1 is not later", [&] {
      static_cast<void>(tracker.push({time, picture_of(test::render({})), &none}));
    });
  }
}

TEST(Tracker, RefusesMoreDetectionsThanItTracks) {
  Detections many;
  for (std::size_t i = 0; i <= kMostDetections; ++i) many.push_back(kFace, 0.5F);
  CpuMotionEstimator motion;
  Tracker tracker(motion);
  test::expect_error(ErrorKind::device, "frame 0 has 4097 detections, more than 4096", [&] {
    static_cast<void>(tracker.push({0, picture_of(test::render({})), &many}));
  });
}

TEST(Tracker, CountsTheDetectionsOfEachClassAlone) {
  Detections many;
  for (std::size_t i = 0; i <= kMostDetections; ++i) {
    const std::size_t line = i / 64;
    const auto x = static_cast<float>(i % 64);
    const auto y = static_cast<float>(line);
    many.push_back({x, y, x + 1, y + 1}, 0.03F);
    many.set_class_of_last(static_cast<std::uint16_t>(i % 2));
  }
  CpuMotionEstimator motion;
  Tracker tracker(motion);
  EXPECT_NO_THROW(static_cast<void>(tracker.push({0, picture_of(test::render({})), &many})));
}

TEST(Tracker, RefusesMoreTracksThanItFollows) {
  // No detection continues a track, because the detections of each frame are at other places.
  CpuMotionEstimator motion;
  Tracker tracker(motion);
  const auto push = [&](int frame) {
    Detections many;
    for (int i = 0; i < 4000; ++i) {
      const auto x = static_cast<float>(i % 80 * 4);
      const int row = i / 80;
      const auto y = static_cast<float>(4 * row);
      const auto side = 0.2F * std::pow(3.0F, static_cast<float>(frame));
      many.push_back({x, y, x + side, y + side}, 0.5F);
    }
    static_cast<void>(tracker.push({frame * kStep, picture_of(test::render({})), &many}));
  };
  push(0);
  push(1);
  test::expect_error(ErrorKind::device, "tracks: there are more than 8192 at frame 2",
                     [&] { push(2); });
}

TEST(Tracker, TakesAnyNumberOfSuggestedTracks) {
  // There are many weak detections, at different places in each frame. They must not end the run,
  // and hidden faces must stay hidden.
  Film film;
  const Box lone{100, 60, 200, 160};
  for (int frame = 0; frame < 6; ++frame) {
    std::vector<Seen> faces{{kFace}, {shifted(lone, 20 * static_cast<float>(frame % 2), 60), 0.2F}};
    for (int i = 0; i < 2000; ++i) {
      const auto x = static_cast<float>(i % 80 * 4);
      const int row = i / 80;
      const float side = 0.1F * std::pow(3.0F, static_cast<float>(frame));
      faces.push_back(
          {{x, static_cast<float>(row), x + side, static_cast<float>(row) + side}, 0.04F});
    }
    film.push({.patches = {{kFace, 9}}}, faces);
  }
  film.flush();
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(film.hidden(i, kFace), 1) << i;
    EXPECT_EQ(film.hidden(i, shifted(lone, 20 * static_cast<float>(i % 2), 60)), 1) << i;
  }
}

TEST(Tracker, PassesOverBoxesThatAreNone) {
  Film film;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  film.push({}, {{{10, 10, 10, 30}},
                 {{10, 30, 20, 10}},
                 {{nan, 1, 2, 3}},
                 {kFace, nan},
                 {kFace, 0.01F},
                 {{1, 2, std::numeric_limits<float>::infinity(), 3}}});
  film.flush();
  EXPECT_TRUE(film.frame(0).boxes.empty());
}

TEST(Tracker, TakesBoxesOfAnyPlaceAndSize) {
  Film film;
  const std::vector<Seen> faces{{{-1e9F, -1e9F, 1e9F, 1e9F}},
                                {{1e30F, 1e30F, 2e30F, 2e30F}},
                                {{-500, -500, -400, -400}},
                                {{3, 3, 3.001F, 3.001F}}};
  for (int i = 0; i < 5; ++i) film.push({}, faces);
  film.flush();
  EXPECT_GE(film.frame(4).boxes.size(), 3U);
}

TEST(Tracker, TakesAnySizeOfPicture) {
  for (const Size size : {Size{1, 1}, Size{16, 16}, Size{33, 17}, Size{641, 35}}) {
    Film film;
    const Box face{0, 0, static_cast<float>(size.width), static_cast<float>(size.height)};
    for (int i = 0; i < 20; ++i)
      film.push({.picture = size}, i % 4 == 0 ? std::vector<Seen>{{face}} : std::vector<Seen>{});
    film.flush();
    for (std::size_t i = 0; i < 20; ++i) EXPECT_GT(film.hidden(i, face), 0.95F) << to_string(size);
  }
}

TEST(Tracker, StartsAnewWhereTheSizeChanges) {
  Film film;
  for (int i = 0; i < 5; ++i) film.push({}, {{kFace}});
  for (int i = 0; i < 5; ++i) film.push({.picture = {640, 480}}, {{kFace}});
  film.flush();
  EXPECT_TRUE(film.frame(5).cut);
  EXPECT_EQ(film.ended.size(), 2U);
}

TEST(Tracker, GoesOnAfterAFlushWithoutWhatWasBefore) {
  Film film;
  for (int i = 0; i < 5; ++i) film.push({.patches = {{kFace, 9}}}, {{kFace}});
  film.flush();
  EXPECT_EQ(film.frames.size(), 5U);
  film.push({.patches = {{kFace, 9}}}, {}, -1);  // the time may be earlier, because the tracker
                                                 // starts anew after a flush
  film.push({.patches = {{kFace, 9}}}, {{kFace}});
  film.flush();
  ASSERT_EQ(film.frames.size(), 7U);
  EXPECT_EQ(film.frame(5).number, 5);
  EXPECT_TRUE(film.frame(5).cut);
  EXPECT_EQ(film.frame(6).boxes.at(0).track, 1);
}

TEST(Tracker, FollowsTwoThousand) {
  // A crowd of 50x40 faces of 16 pixels moves with the camera. In each frame, every fourth face
  // isn't detected.
  Film film;
  const Size picture{1600, 1280};
  const auto face = [](int i, int frame) {
    const int row = i / 50;
    const auto x = static_cast<float>(i % 50 * 32 + 2 * frame);
    const auto y = static_cast<float>(32 * row);
    return Box{x, y, x + 16, y + 16};
  };
  for (int frame = 0; frame < 6; ++frame) {
    std::vector<Seen> faces;
    for (int i = 0; i < 2000; ++i)
      if ((i + frame) % 4 != 0 || frame == 0) faces.push_back({face(i, frame)});
    film.push({.picture = picture, .camera = {1, 0, 2 * static_cast<float>(frame), 0}}, faces);
  }
  film.flush();
  EXPECT_EQ(film.ended.size(), 2000U);
  for (int frame = 0; frame < 5; ++frame)
    for (int i = 0; i < 2000; i += 37)
      EXPECT_GT(film.hidden(static_cast<std::size_t>(frame), face(i, frame)), 0.9F) << frame;
}

bool same(const TrackedBox& a, const TrackedBox& b) {
  return a.track == b.track && a.box == b.box && a.grow == b.grow && a.score == b.score &&
         a.state == b.state && a.hidden == b.hidden;
}

/// Returns a film of faces in a picture that turns and moves. Each face has a low score at first,
/// and sometimes isn't detected.
Film moving_film(std::unique_ptr<MotionEstimator> motion, int columns = 12, int rows = 1) {
  Film film({}, std::move(motion));
  for (int i = 0; i < 40; ++i) {
    const float x = 4 * static_cast<float>(i);
    std::vector<Seen> faces;
    for (int k = 0; k < columns * rows; ++k) {
      const int column = k % columns;
      const int row = k / columns;
      if (test::lattice(i, k, 5) > 0.3F)
        faces.push_back({shifted({20, 20, 40, 45}, 23 * static_cast<float>(column) - x / 2,
                                 static_cast<float>(9 * column + 27 * row)),
                         (i < 2 * column ? 0.1F : 1.0F) * test::lattice(i, k, 6)});
    }
    film.push({.camera = test::about({160, 120}, 0.2F * static_cast<float>(i), 1, -x, 0)}, faces);
  }
  film.flush();
  return film;
}

/// Expects that both films have equal boxes, and returns their number.
std::size_t expect_equal(const Film& a, const Film& b) {
  std::size_t boxes = 0;
  EXPECT_EQ(a.frames.size(), b.frames.size());
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(a.frame(i).boxes, b.frame(i).boxes, same)) << i;
    boxes += a.frame(i).boxes.size();
  }
  return boxes;
}

TEST(Tracker, GivesTheSameAgain) {
  const Film film = moving_film(std::make_unique<CpuMotionEstimator>());
  EXPECT_GT(expect_equal(film, moving_film(std::make_unique<CpuMotionEstimator>())), 300U);
}

/// Counts the calls that follow boxes.
class CountingMotion final : public CpuMotionEstimator {
 public:
  CountingMotion(bool far, int& calls) : far_(far), calls_(calls) {}
  [[nodiscard]] std::vector<Box> follow(std::span<const BoxStep> steps) override {
    calls_ += steps.empty() ? 0 : 1;
    return CpuMotionEstimator::follow(steps);
  }
  [[nodiscard]] bool is_far() const override { return far_; }

 private:
  const bool far_;
  int& calls_;
};

TEST(Tracker, AsksAFarEstimatorLessOftenForTheSame) {
  int near_calls = 0;
  int far_calls = 0;
  const Film near = moving_film(std::make_unique<CountingMotion>(false, near_calls));
  const Film far = moving_film(std::make_unique<CountingMotion>(true, far_calls));
  EXPECT_GT(expect_equal(near, far), 300U);
  EXPECT_LT(far_calls, near_calls * 4 / 5) << "of " << near_calls;
}

TEST(Tracker, AsksAFarEstimatorLessOftenOfACrowdWhosePointsRunOut) {
  int near_calls = 0;
  int far_calls = 0;
  const Film near = moving_film(std::make_unique<CountingMotion>(false, near_calls), 12, 8);
  const Film far = moving_film(std::make_unique<CountingMotion>(true, far_calls), 12, 8);
  EXPECT_GT(expect_equal(near, far), 2400U);
  EXPECT_LT(far_calls, near_calls * 3 / 5) << "of " << near_calls;
}

/// Counts the calls that compare pictures.
class CountingComparisons final : public CpuMotionEstimator {
 public:
  [[nodiscard]] PictureChange compare(const MotionPicture& before,
                                      const MotionPicture& now) override {
    ++comparisons;
    return CpuMotionEstimator::compare(before, now);
  }
  int comparisons = 0;
};

TEST(Tracker, TakesAComparisonWithTheLastPictureOnly) {
  CountingComparisons motion;
  Tracker tracker(motion);
  const auto picture = [](float x) { return picture_of(test::render({.camera = {1, 0, x, 0}})); };
  const std::vector<std::shared_ptr<const MotionPicture>> pictures{picture(0), picture(4),
                                                                   picture(8), picture(12)};
  const Detections none;
  const Detections one = Film::detections({{kFace}});
  const auto push = [&](int i, std::optional<ComparedPictures> compared) {
    TrackerInput input{kStep * i, pictures[static_cast<std::size_t>(i)], i == 0 ? &one : &none};
    input.compared = std::move(compared);
    static_cast<void>(tracker.push(std::move(input)));
  };
  PictureChange cut;
  cut.cut = true;
  push(0, ComparedPictures{pictures[3], cut});  // the first picture can't be compared with an
                                                // earlier one, so this isn't used
  PictureChange pan;
  pan.camera = {1, 0, 50, 0};
  push(1, ComparedPictures{pictures[0], pan});
  EXPECT_EQ(motion.comparisons, 0);
  push(2, ComparedPictures{pictures[0], cut});  // this comparison is with an earlier picture than
                                                // the last one, so it isn't used
  EXPECT_EQ(motion.comparisons, 1);
  push(3, std::nullopt);
  EXPECT_EQ(motion.comparisons, 2);
  const std::vector<TrackedFrame> frames = tracker.flush().frames;
  ASSERT_EQ(frames.size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_FALSE(frames[i].cut) << i;
  ASSERT_FALSE(frames[1].boxes.empty());
  EXPECT_NEAR(frames[1].boxes.front().box.x1, kFace.x1 + 50, 1) << "the camera that was told";
}

TEST(TrackerOptions, AreChecked) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<TrackerOptions> refused{
      {.start_score = 1.1F}, {.lone_score = -0.1F},
      {.start_score = NAN},  {.start_score = 0.1F, .continue_score = 0.2F},
      {.sure_score = 2},     {.hold_s = -1},
      {.gap_s = nan},        {.back_s = 61},
      {.weak_hold_s = -1},   {.look_ahead_s = -1},
      {.look_ahead_s = nan}, {.grow_per_s = -1},
  };
  CpuMotionEstimator motion;
  for (std::size_t i = 0; i < refused.size(); ++i) {
    SCOPED_TRACE(i);
    test::expect_error(ErrorKind::usage, "tracks: ", [&] { Tracker tracker(motion, refused[i]); });
  }
  EXPECT_NO_THROW(check_tracker_options({}));
}

}  // namespace
}  // namespace facepipe::track
