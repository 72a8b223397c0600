// A crowd, of which several threads do parts: each of its faces is tracked as without the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "track/tracker.h"

namespace facepipe {
namespace {

constexpr Size kPicture{1920, 1080};
constexpr int kFrames = 24;
constexpr int kRows = 40;
constexpr int kColumns = 80;

class PlainPicture final : public MotionPicture {
 public:
  PlainPicture() : MotionPicture(kPicture) {}
};

/// Nothing moves but the camera, which no point tells more of.
class PlainMotion final : public MotionEstimator {
 public:
  explicit PlainMotion(bool far) : far_(far) {}
  [[nodiscard]] std::shared_ptr<const MotionPicture> look_at(const Frame& /*frame*/) override {
    return std::make_shared<PlainPicture>();
  }
  [[nodiscard]] PictureChange compare(const MotionPicture& /*before*/,
                                      const MotionPicture& /*now*/) override {
    return {};
  }
  [[nodiscard]] std::vector<Box> follow(std::span<const BoxStep> steps) override {
    std::vector<Box> places;
    for (const BoxStep& step : steps) places.push_back(moved(step.box, step.camera));
    return places;
  }
  [[nodiscard]] bool is_far() const override { return far_; }

 private:
  bool far_;
};

using Film = std::vector<Detections>;

/// Faces side by side, too far apart for one to be taken for another, that flicker around all
/// scores. The film of each row.
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

/// All that is told of a box but its track's number.
using Told = std::tuple<float, float, float, float, float, float, BoxState, bool>;

/// Adds those of each frame.
void track(const Film& film, bool far, std::vector<std::vector<Told>>& told) {
  PlainMotion motion(far);
  Tracker tracker(motion);
  const auto add = [&](const TrackerOutput& out) {
    for (const TrackedFrame& frame : out.frames)
      for (const TrackedBox& of : frame.boxes)
        told.at(static_cast<std::size_t>(frame.number))
            .emplace_back(of.box.x1, of.box.y1, of.box.x2, of.box.y2, of.grow, of.score, of.state,
                          of.hidden);
  };
  for (int i = 0; i < kFrames; ++i) {
    TrackerInput input{i * 0.04, std::make_shared<PlainPicture>(),
                       &film[static_cast<std::size_t>(i)]};
    input.searched = i % 9 != 4;
    add(tracker.push(std::move(input)));
  }
  add(tracker.flush());
  for (std::vector<Told>& frame : told) std::ranges::sort(frame);
}

TEST(Crowd, IsTrackedAsItsRowsAre) {
  const std::vector<Film> films = rows();
  Film crowd(kFrames);
  std::vector<std::vector<Told>> of_rows(kFrames);
  for (const Film& film : films) {
    for (std::size_t i = 0; i < film.size(); ++i)
      for (std::size_t k = 0; k < film[i].size(); ++k)
        crowd[i].push_back(film[i].boxes[k], film[i].scores[k]);
    track(film, false, of_rows);
  }
  for (const bool far : {false, true}) {
    std::vector<std::vector<Told>> of_crowd(kFrames);
    track(crowd, far, of_crowd);
    EXPECT_EQ(of_crowd, of_rows) << far;
  }
  EXPECT_GT(of_rows[20].size(), 2400U);
}

}  // namespace
}  // namespace facepipe
