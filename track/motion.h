// Finds what happens between two pictures: a cut, the camera's motion, the motion of boxes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/frame.h"
#include "core/geometry.h"
#include "track/flow.h"
#include "track/similarity.h"

namespace facepipe::track {

/// Holds a picture in the form that its MotionEstimator needs. The estimator decides where it is
/// kept. It never changes.
class MotionPicture {
 public:
  virtual ~MotionPicture() = default;
  MotionPicture(const MotionPicture&) = delete;
  MotionPicture& operator=(const MotionPicture&) = delete;

  /// Returns the size of the upright picture.
  [[nodiscard]] Size size() const { return size_; }

 protected:
  explicit MotionPicture(Size size) : size_(size) {}

 private:
  Size size_;
};

/// Describes the change between two successive pictures.
struct PictureChange {
  /// True if nothing continues. There are three cases. The histograms' distance is over 0.4, and
  /// less than half of the points fit the camera's motion. Or the distance is over 0.25, as between
  /// shots of similar brightness, there are 50 points or more, and less than a tenth of them fit.
  /// Or the pictures' sizes differ.
  bool cut = false;
  /// The motion from the first picture to the second, in pixels of the picture. It is the identity
  /// at a cut, and if less than 30 % of the points fit one motion.
  Similarity camera;
  float distance = 0;      ///< distance of the histograms, 0 (equal) .. 1 (nothing in common)
  float inlier_share = 0;  ///< share of the points that fit; 0 if the picture has no texture
};

/// Holds an estimator's answer for `before` and a later picture.
struct ComparedPictures {
  std::shared_ptr<const MotionPicture> before;
  PictureChange change;
};

/// Holds a box of a picture that is looked for in another one of the same size.
struct BoxStep {
  const MotionPicture* from = nullptr;
  const MotionPicture* to = nullptr;
  Box box;            ///< not empty; may extend beyond the picture
  Similarity camera;  ///< from `from` to `to`
  int grid = 0;       ///< points on each axis, at most kMostGrid; 0: follow only the camera
  friend bool operator==(const BoxStep&, const BoxStep&) = default;
};

/// Looks at pictures in small luma: half their size, 8 bits, upright. Other estimators of the same
/// device and size can compare its pictures too, even if they haven't looked at them. Equal
/// pictures give equal results on all devices, bit for bit. Only one thread uses an estimator.
/// Errors: Error(device).
class MotionEstimator {
 public:
  MotionEstimator() = default;
  virtual ~MotionEstimator() = default;
  MotionEstimator(const MotionEstimator&) = delete;
  MotionEstimator& operator=(const MotionEstimator&) = delete;

  /// Makes a picture of a frame. The frame must be on the estimator's device. It must be kept until
  /// wait(), or until the same estimator has compared the picture. Other estimators may get the
  /// picture after wait().
  [[nodiscard]] virtual std::shared_ptr<const MotionPicture> look_at(const Frame& frame) = 0;

  /// Waits until the frames that it has looked at are no longer needed, and their pictures are
  /// complete.
  virtual void wait() {}

  /// Follows at most 300 points with texture (the measure of Shi and Tomasi 1994) from `before` to
  /// `now`, and fits the camera's motion to them. The points are spread over the picture.
  [[nodiscard]] virtual PictureChange compare(const MotionPicture& before,
                                              const MotionPicture& now) = 0;

  /// Returns where each box is. It follows grid x grid points in the box. It uses those that are
  /// found again from `to` to within about a pixel (the forward-backward error of Kalal et al.
  /// 2010). The box moves with the camera, which also changes its size, and by the median of its
  /// points' motion against the camera. If less than a sixth of the points is found, it moves only
  /// with the camera.
  [[nodiscard]] virtual std::vector<Box> follow(std::span<const BoxStep> steps) = 0;

  /// Returns whether a call of follow() takes long even for few steps. Then it is better to follow
  /// some steps in vain than to call it again.
  [[nodiscard]] virtual bool is_far() const { return false; }
};

}  // namespace facepipe::track
