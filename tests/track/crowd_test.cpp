// These tests check that several threads track a crowd of faces in the same way as one thread
// tracks these faces row by row.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.h"
#include "tests/support/expect_error.h"
#include "track/tracker.h"

namespace facepipe::track {
namespace {

constexpr Size kPicture{1920, 1080};
constexpr int kFrames = 24;
constexpr int kRows = 40;
constexpr int kColumns = 80;

class PlainPicture final : public MotionPicture {
 public:
  PlainPicture() : MotionPicture(kPicture) {}
};

/// Reports only the camera's motion, and no further motion for boxes.
class PlainMotion final : public MotionEstimator {
 public:
  explicit PlainMotion(bool far, bool fails = false) : far_(far), fails_(fails) {}
  [[nodiscard]] std::shared_ptr<const MotionPicture> make_picture(const Frame& /*frame*/) override {
    return std::make_shared<PlainPicture>();
  }
  [[nodiscard]] PictureChange compare(const MotionPicture& /*before*/,
                                      const MotionPicture& /*now*/) override {
    return {};
  }
  [[nodiscard]] std::vector<Box> follow(std::span<const BoxStep> steps) override {
    EXPECT_EQ(std::this_thread::get_id(), owner_);
    if (fails_ && !steps.empty()) throw Error(ErrorKind::device, "out of order");
    std::vector<Box> places;
    for (const BoxStep& step : steps) places.push_back(moved(step.box, step.camera));
    return places;
  }
  [[nodiscard]] bool is_far() const override { return far_; }

 private:
  bool far_;
  bool fails_;
  std::thread::id owner_ = std::this_thread::get_id();
};

using Film = std::vector<Detections>;

/// Returns a film for each row of faces. The faces of a row are so far apart that they can't be
/// confused, and their scores vary around all thresholds.
std::vector<Film> rows() {
  std::mt19937 random(7);
  const auto share = [&] { return static_cast<float>(random() % 1024) / 1024; };
  std::vector<Film> films(kRows, Film(kFrames));
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column) {
      const float usual = 0.4F * share() * share();
      for (Detections& found : films[static_cast<std::size_t>(row)]) {
        const float x = 10 + 23 * static_cast<float>(column) + 2 * share();
        const float y = 10 + 26 * static_cast<float>(row) + 2 * share();
        const float score = usual + 0.1F * share();
        if (share() < 0.7F) found.push_back({x, y, x + 12, y + 14}, score);
      }
    }
  return films;
}

Film joined(const std::vector<Film>& films) {
  Film crowd(kFrames);
  for (const Film& film : films)
    for (std::size_t i = 0; i < film.size(); ++i)
      for (std::size_t k = 0; k < film[i].size(); ++k)
        crowd[i].push_back(film[i].boxes[k], film[i].scores[k]);
  return crowd;
}

TrackerInput input_of(const Film& film, int i) {
  TrackerInput input{i * 0.04, std::make_shared<PlainPicture>(),
                     &film[static_cast<std::size_t>(i)]};
  input.searched = i % 9 != 4;
  return input;
}

/// Holds what a tracker returned about boxes and tracks, sorted and without the tracks' numbers.
struct Told {
  using OfBox = std::tuple<float, float, float, float, float, float, BoxState, bool>;
  using OfTrack = std::tuple<std::int64_t, std::int64_t, std::int64_t, float, bool>;

  std::vector<std::vector<OfBox>> frames = std::vector<std::vector<OfBox>>(kFrames);
  std::vector<OfTrack> tracks;
};

/// Tracks a film, and adds what the tracker returned.
void track(const Film& film, bool far, Told& told) {
  PlainMotion motion(far);
  Tracker tracker(motion);
  const auto add = [&](const TrackerOutput& out) {
    for (const TrackedFrame& frame : out.frames)
      for (const TrackedBox& of : frame.boxes)
        told.frames.at(static_cast<std::size_t>(frame.number))
            .emplace_back(of.box.x1, of.box.y1, of.box.x2, of.box.y2, of.grow, of.score, of.state,
                          of.hidden);
    for (const TrackSummary& of : out.ended)
      told.tracks.emplace_back(of.first_frame, of.last_frame, of.sightings, of.best_score,
                               of.hidden);
  };
  for (int i = 0; i < kFrames; ++i) add(tracker.push(input_of(film, i)));
  add(tracker.flush());
  for (std::vector<Told::OfBox>& frame : told.frames) std::ranges::sort(frame);
  std::ranges::sort(told.tracks);
}

TEST(Crowd, IsTrackedAsItsRowsAre) {
  const std::vector<Film> films = rows();
  Told of_rows;
  for (const Film& film : films) track(film, false, of_rows);
  for (const bool far : {false, true}) {
    Told of_crowd;
    track(joined(films), far, of_crowd);
    EXPECT_EQ(of_crowd.frames, of_rows.frames) << far;
    EXPECT_EQ(of_crowd.tracks, of_rows.tracks) << far;
  }
  EXPECT_GT(of_rows.frames[20].size(), 2400U);
}

TEST(Crowd, EndsWithAnErrorOfItsEstimator) {
  const Film film = joined(rows());
  PlainMotion motion(true, true);
  Tracker tracker(motion);
  int frame = 0;
  test::expect_error(ErrorKind::device, "out of order", [&] {
    for (; frame < kFrames; ++frame) (void)tracker.push(input_of(film, frame));
  });
  test::expect_error(ErrorKind::internal, "after an error",
                     [&] { (void)tracker.push(input_of(film, frame)); });
}

// A detection whose score is NaN must not continue the face's track, neither forwards nor
// backwards.
TEST(Tracker, TakesNoDetectionWithoutAScore) {
  const Box face{100, 100, 130, 136};
  Film film(2);
  film[0].push_back(face, std::numeric_limits<float>::quiet_NaN());
  film[1].push_back(face, 0.9F);
  PlainMotion motion(false);
  Tracker tracker(motion);
  for (int i = 0; i < 2; ++i) (void)tracker.push(input_of(film, i));
  const TrackerOutput out = tracker.flush();
  ASSERT_EQ(out.frames.at(0).boxes.size(), 1U);
  EXPECT_EQ(out.frames[0].boxes[0].state, BoxState::held);
}

}  // namespace
}  // namespace facepipe::track
