// Finds the change between two pictures: a cut, the camera's motion, and the motion of boxes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/frame.h"
#include "core/geometry.h"
#include "track/flow.h"
#include "track/similarity.h"

namespace facepipe::track {

/// Holds a picture in the form that its MotionEstimator needs, in memory of the estimator's choice.
/// A picture never changes.
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
  /// True if the second picture shows another scene. There are three cases:
  /// * The histograms' distance is over 0.4, and less than half of the points fit the camera's
  ///   motion.
  /// * The distance is over 0.25 (scenes can have similar brightness), there are at least 50
  ///   points, and less than a tenth of the points fit.
  /// * The pictures' sizes differ.
  bool cut = false;
  /// The motion from the first picture to the second, in pixels of the picture. It is the identity
  /// at a cut, and if less than 30 % of the points fit one motion.
  Similarity camera;
  float distance = 0;      ///< distance of the histograms, 0 (equal) .. 1 (nothing in common)
  float inlier_share = 0;  ///< share of the points that fit the camera's motion; 0 if the picture
                           ///< has no texture
};

/// Holds the result of MotionEstimator::compare() for `before` and a later picture.
struct ComparedPictures {
  std::shared_ptr<const MotionPicture> before;
  PictureChange change;
};

/// Holds a box in one picture that is to be found in another picture of the same size.
struct BoxStep {
  const MotionPicture* from = nullptr;
  const MotionPicture* to = nullptr;
  Box box;            ///< not empty; may extend beyond the picture
  Similarity camera;  ///< from `from` to `to`
  int grid = 0;       ///< points on each axis, at most kMostGrid; 0: follow only the camera
  friend bool operator==(const BoxStep&, const BoxStep&) = default;
};

/// Estimates motion in small luma: upright, half the picture's size, 8 bits. An estimator can also
/// use pictures that another estimator of the same device and size has made. Equal pictures give
/// equal results on all devices, bit for bit. Only one thread may use an estimator. Errors:
/// Error(device).
class MotionEstimator {
 public:
  MotionEstimator() = default;
  virtual ~MotionEstimator() = default;
  MotionEstimator(const MotionEstimator&) = delete;
  MotionEstimator& operator=(const MotionEstimator&) = delete;

  /// Makes the motion picture of a frame, which must be on the estimator's device. Keep the frame
  /// until wait() returns, or until the same estimator has compared the picture. Other estimators
  /// may use the picture only after wait().
  [[nodiscard]] virtual std::shared_ptr<const MotionPicture> make_picture(const Frame& frame) = 0;

  /// Waits until the pictures from make_picture() are complete. Their frames are no longer needed
  /// then.
  virtual void wait() {}

  /// Follows at most 300 points with texture (the measure of Shi and Tomasi 1994) from `before` to
  /// `now`, and fits the camera's motion to them. The points are spread over the picture.
  [[nodiscard]] virtual PictureChange compare(const MotionPicture& before,
                                              const MotionPicture& now) = 0;

  /// Returns for each step where its box is in the second picture. It follows grid x grid points of
  /// the box to the second picture and back. It uses the points that return to within about a pixel
  /// of their start (the forward-backward error of Kalal et al. 2010). The box moves with the
  /// camera, which also changes its size, and by the median of its points' motion relative to the
  /// camera. If less than a sixth of the points is found, the box moves only with the camera.
  [[nodiscard]] virtual std::vector<Box> follow(std::span<const BoxStep> steps) = 0;

  /// Returns whether each call of follow() takes long, even for few steps. Then it is better to
  /// follow some steps that aren't needed than to call follow() again.
  [[nodiscard]] virtual bool is_far() const { return false; }
};

}  // namespace facepipe::track
