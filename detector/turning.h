// These functions turn stored pictures upright with OpenCV, for detectors of the CPU.
#pragma once

#include <opencv2/core.hpp>

#include "core/geometry.h"

namespace facepipe::detector {

/// An orientation as three steps in this order. At most two passes are needed: both flips are one.
struct TurningSteps {
  bool flip_rows;
  bool flip_columns;
  bool transpose;
};
[[nodiscard]] TurningSteps turning_steps(Orientation orientation);

/// Returns the upright picture: `stored` itself, or a picture in one of the two buffers.
[[nodiscard]] cv::Mat turned_upright(const cv::Mat& stored, Orientation orientation,
                                     cv::Mat& flipped, cv::Mat& transposed);

}  // namespace facepipe::detector
