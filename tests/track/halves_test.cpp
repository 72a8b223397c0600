// These tests check that the two halves of a tracker (Follower and WaitingFrames) together give the
// same results as a whole tracker. The first half runs ahead.
#include <gtest/gtest.h>

#include <deque>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "tests/track/scenes.h"
#include "track/cpu/motion.h"
#include "track/follower.h"
#include "track/tracker.h"
#include "track/waiting_frames.h"

namespace facepipe::track {
namespace {

constexpr int kFrames = 60;

/// Makes a film of faces that are often not detected, so that tracks begin, end, wait, and are
/// hidden late.
class Film {
 public:
  Film() {
    std::mt19937 random(5);
    const auto below = [&](unsigned most) { return static_cast<float>(random() % most); };
    std::vector<Box> faces;
    for (int i = 0; i < 60; ++i) {
      const float x = below(300);
      const float y = below(220);
      const float side = 8 + below(20);
      faces.push_back({x, y, x + side, y + 1.2F * side});
    }
    for (int i = 0; i < kFrames; ++i) {
      const auto shift = static_cast<float>(i);
      pictures_.push_back(std::make_shared<CpuMotionPicture>(
          test::render({.seed = i < 40 ? 1U : 90U,
                        .camera = Similarity{1, 0, shift, 0}})));  // the scene changes at frame 40
      Detections& found = found_.emplace_back();
      for (const Box& face : faces)
        if (random() % 3 != 0)
          found.push_back({face.x1 + shift, face.y1 + below(3), face.x2 + shift, face.y2},
                          0.03F + (random() % 10 == 0 ? 0.4F : 0.1F) * below(100) / 100);
    }
  }

  /// Returns the tracker's input for a frame. Some frames are damaged, and some aren't searched.
  [[nodiscard]] TrackerInput input(int i) const {
    const auto at = static_cast<std::size_t>(i);
    TrackerInput input{i * 0.04, i % 17 == 11 ? nullptr : pictures_[at], &found_[at]};
    input.searched = i % 13 != 7;
    return input;
  }

 private:
  std::vector<std::shared_ptr<const MotionPicture>> pictures_;
  std::vector<Detections> found_;
};

void append(TrackerOutput from, TrackerOutput& to) {
  std::ranges::move(from.frames, std::back_inserter(to.frames));
  std::ranges::move(from.ended, std::back_inserter(to.ended));
  std::ranges::move(from.taken_by, std::back_inserter(to.taken_by));
}

/// Tracks the film two times with one tracker, and flushes the tracker after each time.
TrackerOutput tracked(const Film& film, const TrackerOptions& options) {
  CpuMotionEstimator motion;
  Tracker tracker(motion, options);
  TrackerOutput all;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kFrames; ++i) append(tracker.push(film.input(i)), all);
    append(tracker.flush(), all);
  }
  return all;
}

/// Tracks the film two times. The second half gets a frame when the first half has followed `ahead`
/// further frames.
TrackerOutput in_halves(const Film& film, const TrackerOptions& options, std::size_t ahead) {
  CpuMotionEstimator forwards;
  CpuMotionEstimator backwards;
  Follower follower(forwards, options, {});
  WaitingFrames frames(backwards, options);
  TrackerOutput all;
  for (int round = 0; round < 2; ++round) {
    std::deque<TrackStep> between;
    const auto decide_all_but = [&](std::size_t left) {
      for (; between.size() > left; between.pop_front())
        append(frames.add(std::move(between.front())), all);
    };
    for (int i = 0; i < kFrames; ++i) {
      between.push_back(follower.follow(film.input(i)));
      decide_all_but(ahead);
    }
    decide_all_but(0);
    append(frames.flush(follower.flush()), all);
  }
  return all;
}

void expect_equal(const TrackedBox& a, const TrackedBox& b) {
  EXPECT_EQ(a.track, b.track);
  EXPECT_EQ(a.box, b.box);
  EXPECT_EQ(a.grow, b.grow);
  EXPECT_EQ(a.score, b.score);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.hidden, b.hidden);
}

void expect_equal(const TrackedFrame& a, const TrackedFrame& b) {
  EXPECT_EQ(a.number, b.number);
  EXPECT_EQ(a.time_s, b.time_s);
  EXPECT_EQ(a.cut, b.cut);
  EXPECT_EQ(a.hide_all, b.hide_all);
  EXPECT_EQ(a.searched, b.searched);
  ASSERT_EQ(a.boxes.size(), b.boxes.size()) << a.number;
  for (std::size_t i = 0; i < a.boxes.size(); ++i) expect_equal(a.boxes[i], b.boxes[i]);
}

void expect_equal(const TrackSummary& a, const TrackSummary& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.first_frame, b.first_frame);
  EXPECT_EQ(a.last_frame, b.last_frame);
  EXPECT_EQ(a.sightings, b.sightings);
  EXPECT_EQ(a.best_score, b.best_score);
  EXPECT_EQ(a.hidden, b.hidden);
}

void expect_equal(const TrackerOutput& a, const TrackerOutput& b) {
  EXPECT_EQ(a.taken_by, b.taken_by);
  ASSERT_EQ(a.frames.size(), b.frames.size());
  for (std::size_t i = 0; i < a.frames.size(); ++i) expect_equal(a.frames[i], b.frames[i]);
  ASSERT_EQ(a.ended.size(), b.ended.size());
  for (std::size_t i = 0; i < a.ended.size(); ++i) expect_equal(a.ended[i], b.ended[i]);
}

TEST(HalvesOfATracker, FindWhatItFindsHoweverFarTheFirstIsAhead) {
  const Film film;
  constexpr double kWholeFile = std::numeric_limits<double>::infinity();
  struct Waits {
    double look_ahead_s;
    int most;  // 3, in the last row, is less than the frames of a gap
  };
  for (const auto& [look_ahead_s, most] :
       {Waits{0, 512}, Waits{0.2, 512}, Waits{kWholeFile, 512}, Waits{0.2, 3}}) {
    TrackerOptions options;
    options.look_ahead_s = look_ahead_s;
    options.most_waiting = most;
    options.gap_s = options.back_s = 0.2;  // short times make tracks end, so that others take their
                                           // slots
    const TrackerOutput expected = tracked(film, options);
    ASSERT_EQ(expected.frames.size(), 2U * kFrames);
    ASSERT_GT(expected.ended.size(), 200U);
    for (const std::size_t ahead : {0U, 1U, 5U, 1000U})
      expect_equal(expected, in_halves(film, options, ahead));
  }
}

}  // namespace
}  // namespace facepipe::track
