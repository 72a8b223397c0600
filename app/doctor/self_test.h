// One generated picture through a detector: does it run, does it give numbers, and are they another
// engine's?
#pragma once

#include <cstddef>

#include "core/device.h"
#include "core/frame.h"
#include "detector/detector.h"

namespace facepipe::app {

/// Three drawn faces of different sizes before a slanted ramp: planar 4:2:0 of 8 bits, limited
/// range, in host memory. CenterFace gives them scores from 0.2 to 0.8, so that what an engine
/// computes wrongly shows in the scores.
[[nodiscard]] Frame test_picture();

struct SelfTestResult {
  double milliseconds = 0;  ///< of the second frame: the first one warms the engine up
  Detections candidates;    ///< of test_picture()
  Size network_size;        ///< of a detector without a network the picture's
};

/// Throws Error(device) where the engine fails or its output isn't finite. The factory's score
/// threshold must be 0, so that there are candidates to look at.
[[nodiscard]] SelfTestResult self_test(detector::DetectorFactory& detectors);

/// The same on a CUDA device; options.score_threshold must be 0.
[[nodiscard]] SelfTestResult self_test_on_cuda(Device device,
                                               const detector::DetectorOptions& options);

struct ScoreComparison {
  std::size_t compared = 0;       ///< candidates of either, with a score of kLeastCompared or more
  double largest_difference = 0;  ///< of their scores
};
inline constexpr float kLeastCompared = 0.05F;

/// Two engines' candidates of the same picture, each of all candidates with a score over 0. A
/// candidate's partner is the one of nearest score whose box overlaps its own (IoU >= 0.8); without
/// a partner its whole score is the difference.
[[nodiscard]] ScoreComparison compare_scores(const Detections& one, const Detections& other);

}  // namespace facepipe::app
