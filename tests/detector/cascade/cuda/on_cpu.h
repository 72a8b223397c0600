// Detects faces on the CPU with a cascade. This code is separate from the tests that use CUDA's
// types, because OpenCV's headers also have classes Stream and Event.
#pragma once

#include "core/detections.h"
#include "core/frame.h"
#include "detector/cascade/levels.h"
#include "detector/cascade/model/cascade.h"

namespace facepipe::test {

/// Returns the candidates with scores above `threshold` of a frame in host memory.
[[nodiscard]] Detections on_cpu(const detector::cascade::Cascade& cascade, const Frame& frame,
                                const detector::cascade::LevelOptions& levels, float threshold);

/// Returns all windows of a frame in host memory that the cascade accepts.
[[nodiscard]] Detections every_window_on_cpu(const detector::cascade::Cascade& cascade,
                                             const Frame& frame,
                                             const detector::cascade::LevelOptions& levels);

}  // namespace facepipe::test
