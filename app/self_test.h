// One generated frame through a detector: does it run, and does it give numbers?
#pragma once

#include <cstddef>

#include "detector/detector.h"

namespace facepipe {

struct SelfTestResult {
  double milliseconds = 0;  ///< of the second frame: the first one warms the engine up
  std::size_t candidates = 0;
  Size network_size;
};

/// Throws Error(device) where the engine fails or its output isn't finite. The factory's score
/// threshold must be 0, so that there are candidates to look at.
[[nodiscard]] SelfTestResult self_test(DetectorFactory& detectors);

}  // namespace facepipe
