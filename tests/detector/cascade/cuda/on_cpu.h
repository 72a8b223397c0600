// Returns what the CPU finds. It is separate from the tests, because OpenCV's headers and CUDA's
// owners both have classes named Stream and Event.
#pragma once

#include "core/detections.h"
#include "core/frame.h"
#include "detector/cascade/levels.h"
#include "detector/cascade/model/cascade.h"

namespace facepipe::test {

/// Returns the candidates of a frame in host memory with a score above `threshold`.
[[nodiscard]] Detections on_cpu(const detector::cascade::Cascade& cascade, const Frame& frame,
                                const detector::cascade::LevelOptions& levels, float threshold);

/// Returns all windows of a frame in host memory.
[[nodiscard]] Detections every_window_on_cpu(const detector::cascade::Cascade& cascade,
                                             const Frame& frame,
                                             const detector::cascade::LevelOptions& levels);

}  // namespace facepipe::test
