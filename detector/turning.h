// Turns stored pictures upright with OpenCV, for detectors on the CPU.
#pragma once

#include <opencv2/core.hpp>

#include "core/geometry.h"

namespace facepipe::detector {

/// Describes an orientation as three steps, in this order. OpenCV needs at most two passes, because
/// one pass does both flips.
struct TurningSteps {
  bool flip_rows;
  bool flip_columns;
  bool transpose;
};
[[nodiscard]] TurningSteps turning_steps(Orientation orientation);

/// Returns the upright picture. It is `stored` itself, or a picture in one of the two buffers.
[[nodiscard]] cv::Mat turned_upright(const cv::Mat& stored, Orientation orientation,
                                     cv::Mat& flipped, cv::Mat& transposed);

}  // namespace facepipe::detector
