// Simulates the detections of a crowd, and a motion estimator without costs, to measure the other
// costs of tracking.
#pragma once

#include <cstddef>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "core/detections.h"
#include "core/geometry.h"
#include "track/motion.h"
#include "track/motion_rules.h"

namespace facepipe::bench {

inline constexpr Size kHd{1920, 1080};

/// A picture without samples, for measurements that need no samples.
class EmptyPicture final : public track::MotionPicture {
 public:
  EmptyPicture() : track::MotionPicture(kHd) {}
};

/// Moves boxes with the camera and a little further, as if the estimator had followed points.
/// is_far() returns that the estimator works on a device.
class GivenMotion final : public track::MotionEstimator {
 public:
  explicit GivenMotion(const track::Similarity& camera) : camera_(camera) {}

  [[nodiscard]] std::shared_ptr<const track::MotionPicture> make_picture(
      const Frame& /*frame*/) override {
    return std::make_shared<EmptyPicture>();
  }
  [[nodiscard]] track::PictureChange compare(const track::MotionPicture& /*before*/,
                                             const track::MotionPicture& /*now*/) override {
    return {.camera = camera_, .inlier_share = 1};
  }
  [[nodiscard]] std::vector<Box> follow(std::span<const track::BoxStep> steps) override {
    std::vector<Box> places;
    for (const track::BoxStep& step : steps) {
      Box& box = places.emplace_back(track::moved(step.box, step.camera));
      if (step.grid == 0) continue;
      box.x1 += 0.25F;
      box.x2 += 0.25F;
    }
    return places;
  }
  [[nodiscard]] bool is_far() const override { return true; }

 private:
  track::Similarity camera_;
};

/// Makes detections of three kinds: 140 sure faces; 850 weak faces, which are often missing; and
/// 2500 detections with even lower scores, half of which are missing in a frame.
class Crowd {
 public:
  explicit Crowd(unsigned seed) : random_(seed) {
    add(140, {.least = 0.3F, .most = 0.9F, .seen = 0.93F});
    add(850, {.least = 0.13F, .most = 0.3F, .seen = 0.75F});
    add(2500, {.least = 0.02F, .most = 0.15F, .seen = 0.5F});
  }

  /// Returns the detections of the next frame. The camera moves right by `shift` pixels.
  [[nodiscard]] Detections next(float shift) {
    Detections found;
    for (Place& place : places_) {
      place.box.x1 -= shift;
      place.box.x2 -= shift;
      if (place.box.x2 < 0) {
        place.box.x1 += static_cast<float>(kHd.width);
        place.box.x2 += static_cast<float>(kHd.width);
      }
      if (share() >= place.of.seen) continue;
      const float jitter = 0.1F * place.box.width();
      const auto off = [&](float at) { return at + jitter * (share() - 0.5F); };
      const Box& box = place.box;
      found.push_back({off(box.x1), off(box.y1), off(box.x2), off(box.y2)},
                      place.score + 0.05F * (share() - 0.5F));
    }
    return found;
  }

 private:
  struct Kind {
    float least = 0;  ///< least score of a detection of this kind
    float most = 0;
    float seen = 0;  ///< share of the frames in which a face of this kind is detected
  };
  struct Place {
    Box box;
    float score = 0;
    Kind of;
  };

  float share() { return static_cast<float>(random_() % 65536) / 65536; }

  void add(int places, const Kind& of) {
    for (int i = 0; i < places; ++i) {
      const float x = static_cast<float>(kHd.width) * share();
      const float y = static_cast<float>(kHd.height) * share();
      const float side = 10 + 50 * share() * share();
      places_.push_back(
          {{x, y, x + side, y + 1.2F * side}, of.least + (of.most - of.least) * share(), of});
    }
  }

  std::mt19937 random_;
  std::vector<Place> places_;
};

}  // namespace facepipe::bench
