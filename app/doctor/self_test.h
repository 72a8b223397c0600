// Runs a detector on one generated picture. This shows whether the detector runs, and whether its
// results are finite and similar to the results of another engine.
#pragma once

#include <cstddef>

#include "core/device.h"
#include "core/frame.h"
#include "detector/detector.h"

namespace facepipe::app {

/// Draws three faces of different sizes in front of a slanted ramp: planar 4:2:0 of 8 bits, limited
/// range, in host memory. CenterFace gives them scores from 0.2 to 0.8. In this range, an engine's
/// errors are visible in the scores.
[[nodiscard]] Frame test_picture();

struct SelfTestResult {
  /// Time of one frame. The first frame isn't timed, because it warms the engine up.
  double milliseconds = 0;
  Detections candidates;  ///< of test_picture()
  Size network_size;      ///< the picture's size for a detector without a network
};

/// Runs a detector on test_picture(). Throws Error(device) if the engine fails or its output isn't
/// finite. The factory's score threshold must be 0, so that there are candidates.
/// @param timed  number of timed frames, >= 1; SelfTestResult::milliseconds is their median
[[nodiscard]] SelfTestResult self_test(detector::DetectorFactory& detectors, int timed = 1);

/// Runs the self test on a CUDA device. options.score_threshold must be 0.
[[nodiscard]] SelfTestResult self_test_on_cuda(Device device,
                                               const detector::DetectorOptions& options);

struct ScoreComparison {
  std::size_t compared = 0;       ///< candidates of both engines that score at least kLeastCompared
  double largest_difference = 0;  ///< largest difference of their scores
};
inline constexpr float kLeastCompared = 0.05F;

/// Compares two engines' candidates for the same picture. Each list must contain all candidates
/// with a score above 0. A candidate's partner is a candidate of the other list with an IoU >= 0.8.
/// If there are several, the partner is the candidate with the nearest score. If there is none, the
/// difference is the candidate's whole score.
[[nodiscard]] ScoreComparison compare_scores(const Detections& one, const Detections& other);

}  // namespace facepipe::app
