// What happens between two pictures: a cut, the camera's motion, the motion of boxes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/frame.h"
#include "core/geometry.h"
#include "track/flow.h"
#include "track/similarity.h"

namespace facepipe::track {

/// A picture as its MotionEstimator needs it, and where that keeps it. Never changes.
class MotionPicture {
 public:
  virtual ~MotionPicture() = default;
  MotionPicture(const MotionPicture&) = delete;
  MotionPicture& operator=(const MotionPicture&) = delete;

  /// Of the upright picture.
  [[nodiscard]] Size size() const { return size_; }

 protected:
  explicit MotionPicture(Size size) : size_(size) {}

 private:
  Size size_;
};

/// What is between two pictures in a row.
struct PictureChange {
  /// Nothing goes on: the histograms' distance is over 0.4, and less than half of the points fit
  /// the camera's motion; or it is over 0.25, as between shots of like brightness, and less than a
  /// tenth of 50 points or more do; or the pictures' sizes differ.
  bool cut = false;
  /// From the first picture to the second, in pixels of the picture. The identity at a cut, and
  /// where less than 30 % of the points fit one motion.
  Similarity camera;
  float distance = 0;      ///< of the histograms, 0 (equal) .. 1 (nothing in common)
  float inlier_share = 0;  ///< of the points; 0 where the picture has no texture
};

/// An estimator's answer to `before` and a later picture.
struct ComparedPictures {
  std::shared_ptr<const MotionPicture> before;
  PictureChange change;
};

/// A box of a picture, to be found in another one of the same size.
struct BoxStep {
  const MotionPicture* from = nullptr;
  const MotionPicture* to = nullptr;
  Box box;            ///< not empty; may pass the picture's edge
  Similarity camera;  ///< from `from` to `to`
  int grid = 0;       ///< points on each axis, kMostGrid at most; 0: the camera's motion alone
  friend bool operator==(const BoxStep&, const BoxStep&) = default;
};

/// Looks at pictures in small luma: half their size, 8 bits, upright. What it makes of them its own
/// device's estimators of that size compare, also those that haven't looked at them. Equal pictures
/// give equal results on all devices, bit for bit. Used by one thread. Errors: Error(device).
class MotionEstimator {
 public:
  MotionEstimator() = default;
  virtual ~MotionEstimator() = default;
  MotionEstimator(const MotionEstimator&) = delete;
  MotionEstimator& operator=(const MotionEstimator&) = delete;

  /// The frame lies on the estimator's device; it must be kept until wait(), or until an estimator
  /// that has looked at it itself has compared the picture. Another one gets it after wait().
  [[nodiscard]] virtual std::shared_ptr<const MotionPicture> look_at(const Frame& frame) = 0;

  /// Until the frames that it has looked at are no longer needed, and their pictures are there.
  virtual void wait() {}

  /// Follows at most 300 points with texture (the measure of Shi and Tomasi 1994), spread over the
  /// picture, from `before` to `now`, and fits the camera's motion to them.
  [[nodiscard]] virtual PictureChange compare(const MotionPicture& before,
                                              const MotionPicture& now) = 0;

  /// Where each box is: the median of the motion of grid x grid points in it that were found again
  /// from `to` to within a pixel or so (the forward-backward error of Kalal et al. 2010), beside
  /// the camera's, which also says how the box' size changes. With less than a sixth of the points
  /// found, the camera's alone.
  [[nodiscard]] virtual std::vector<Box> follow(std::span<const BoxStep> steps) = 0;

  /// Whether a call of follow() takes long however few its steps are, so that to follow a few in
  /// vain is better than to call it again.
  [[nodiscard]] virtual bool is_far() const { return false; }
};

}  // namespace facepipe::track
