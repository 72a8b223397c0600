// Finds motion between pictures in host memory, on one core.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "track/cpu/luma.h"
#include "track/cpu/pyramid.h"
#include "track/motion.h"
#include "track/motion_rules.h"

namespace facepipe::track {

/// Holds a picture in host memory. It owns its samples.
class CpuMotionPicture final : public MotionPicture {
 public:
  /// `luma` must not be empty.
  explicit CpuMotionPicture(Luma luma);

  [[nodiscard]] const LumaPyramid& pyramid() const { return pyramid_; }
  [[nodiscard]] const CellHistograms& histograms() const { return histograms_; }

 private:
  LumaPyramid pyramid_;
  CellHistograms histograms_;
};

/// Returns false if it is certain that compare() finds no cut; otherwise true. This takes almost no
/// time.
[[nodiscard]] bool may_be_cut(const MotionPicture& before, const MotionPicture& now);

/// Compares CpuMotionPictures. Several estimators may share pictures.
class CpuMotionEstimator : public MotionEstimator {
 public:
  [[nodiscard]] std::shared_ptr<const MotionPicture> make_picture(const Frame& frame) override;
  [[nodiscard]] PictureChange compare(const MotionPicture& before,
                                      const MotionPicture& now) override;
  [[nodiscard]] std::vector<Box> follow(std::span<const BoxStep> steps) override;
};

}  // namespace facepipe::track
