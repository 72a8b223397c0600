// These tests check that nothing of a scene depends on the scenes before it: a tracker that begins
// anywhere gives the boxes of a tracker that has seen the whole film, from the first scene on whose
// beginning both have seen. Other machines can therefore go on there (pipeline/parts/part_job.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/track/scenes.h"
#include "track/cpu/motion.h"
#include "track/follower.h"
#include "track/waiting_frames.h"

namespace facepipe::track {
namespace {

constexpr int kFrames = 90;
constexpr double kStep_s = 0.04;

/// A film of many weak faces, for which there are fewer second looks than are wanted. Scenes begin
/// with the frames 20, 41, 44 and 70.
class Film {
 public:
  Film() {
    std::mt19937 random(11);
    const auto below = [&](unsigned most) { return static_cast<float>(random() % most); };
    unsigned scene = 0;
    for (int i = 0; i < kFrames; ++i) {
      if (std::ranges::count(std::vector{20, 41, 44, 70}, i) > 0) ++scene;
      const auto shift = static_cast<float>(i);
      Luma luma = test::render(
          {.picture = {240, 160}, .seed = 1 + 40 * scene, .camera = Similarity{1, 0, shift, 0}});
      // Two textures alone have nearly equal histograms, so there would be no cut between them.
      if (scene % 2 == 1)
        for (std::size_t k = 0; k < luma.samples.size() / 2; ++k) luma.samples[k] /= 8;
      pictures_.push_back(std::make_shared<CpuMotionPicture>(luma));
      Detections& found = found_.emplace_back();
      for (int face = 0; face < 40; ++face) {
        const float x = 28 * static_cast<float>(face % 8) + shift / 4;
        const int row = face / 8;
        const float y = 30 * static_cast<float>(row) + below(3);
        if (random() % 4 != 0) found.push_back({x, y, x + 18, y + 20}, 0.04F + below(60) / 100);
      }
    }
  }

  /// Some frames are damaged, also the last one of a scene.
  [[nodiscard]] TrackerInput input(int i) const {
    const auto at = static_cast<std::size_t>(i);
    const bool damaged = i == 19 || i % 23 == 6;
    return {i * kStep_s, damaged ? nullptr : pictures_[at], &found_[at]};
  }

 private:
  std::vector<std::shared_ptr<const MotionPicture>> pictures_;
  std::vector<Detections> found_;
};

struct Followed {
  std::vector<TrackedFrame> frames;
  std::vector<TrackSummary> ended;
  std::vector<std::int64_t> tracks_before;  // of each frame
  std::optional<int> scene;                 // the first scene that begins after the first frame
};

/// Follows the faces from a frame on.
/// @param border  ends with the frame before the first scene that begins behind this frame
Followed follow(const Film& film, int begin, std::optional<int> border = std::nullopt) {
  CpuMotionEstimator forwards;
  CpuMotionEstimator backwards;
  Follower follower(forwards, {}, {});
  WaitingFrames waiting(backwards, {});
  const SecondLook second_look = [](std::span<const Box> faces) {
    std::vector<float> scores;
    for (const Box& face : faces) scores.push_back(std::fmod(face.x1 + face.y1, 10.0F) / 10);
    return scores;
  };
  Followed result;
  const auto take = [&](const TrackerOutput& out) {
    result.frames.insert(result.frames.end(), out.frames.begin(), out.frames.end());
    result.ended.insert(result.ended.end(), out.ended.begin(), out.ended.end());
  };
  for (int i = begin; i < kFrames; ++i) {
    TrackStep step = follower.follow(film.input(i), second_look);
    result.tracks_before.push_back(step.tracks_before);
    if (step.frame.cut && i > begin && !result.scene) result.scene = i;
    if (step.frame.cut && border && i > *border) {
      take(waiting.flush(step.ended));
      return result;
    }
    take(waiting.add(std::move(step)));
  }
  take(waiting.flush(follower.flush()));
  return result;
}

void expect_equal(const TrackedFrame& part, const TrackedFrame& whole, std::int64_t ids) {
  EXPECT_EQ(part.time_s, whole.time_s);
  EXPECT_EQ(part.cut, whole.cut);
  EXPECT_EQ(part.hide_all, whole.hide_all);
  ASSERT_EQ(part.boxes.size(), whole.boxes.size());
  for (std::size_t i = 0; i < part.boxes.size(); ++i) {
    const TrackedBox& box = part.boxes[i];
    const TrackedBox& expected = whole.boxes[i];
    EXPECT_EQ(box.track + ids, expected.track);
    EXPECT_EQ(box.box, expected.box);
    EXPECT_EQ(box.grow, expected.grow);
    EXPECT_EQ(box.score, expected.score);
    EXPECT_EQ(box.state, expected.state);
    EXPECT_EQ(box.hidden, expected.hidden);
  }
}

TEST(SceneStarts, MakeATrackerForgetWhatCameBefore) {
  const Film film;
  const Followed whole = follow(film, 0);
  std::set<int> scenes;
  for (int begin = 1; begin < 70; begin += 3) {
    const Followed part = follow(film, begin);
    ASSERT_TRUE(part.scene) << begin;
    scenes.insert(*part.scene);
    const auto from = static_cast<std::size_t>(*part.scene);
    const std::size_t skipped = from - static_cast<std::size_t>(begin);
    const std::int64_t ids = whole.tracks_before[from] - part.tracks_before[skipped];
    for (std::size_t i = from; i < kFrames; ++i) {
      SCOPED_TRACE("from " + std::to_string(begin) + ", frame " + std::to_string(i));
      expect_equal(part.frames[i - static_cast<std::size_t>(begin)], whole.frames[i], ids);
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
  }
  EXPECT_EQ(scenes, (std::set<int>{20, 41, 44, 70}));
}

TEST(SceneStarts, LetATrackerEndWithoutTheFramesThatFollow) {
  const Film film;
  const Followed whole = follow(film, 0);
  for (const int border : {0, 25, 42, 60}) {
    const Followed part = follow(film, 0, border);
    ASSERT_LT(part.frames.size(), whole.frames.size());
    for (std::size_t i = 0; i < part.frames.size(); ++i) {
      SCOPED_TRACE("up to " + std::to_string(border) + ", frame " + std::to_string(i));
      expect_equal(part.frames[i], whole.frames[i], 0);
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
    ASSERT_LE(part.ended.size(), whole.ended.size());
    EXPECT_EQ(std::ssize(part.ended), part.tracks_before.back()) << "all tracks have ended";
    for (std::size_t i = 0; i < part.ended.size(); ++i) {
      EXPECT_EQ(part.ended[i].id, whole.ended[i].id);
      EXPECT_EQ(part.ended[i].first_frame, whole.ended[i].first_frame);
      EXPECT_EQ(part.ended[i].sightings, whole.ended[i].sightings);
    }
  }
}

}  // namespace
}  // namespace facepipe::track
