#include "tests/detector/cascade/cuda/on_cpu.h"

#include <memory>

#include "detector/cascade/cpu/cascade_detector.h"
#include "tests/detector/detect.h"

namespace facepipe::test {

namespace {

Detections found_by(const detector::cascade::Cascade& cascade, const Frame& frame,
                    const detector::cascade::CascadeOptions& options) {
  const auto detector = detector::cascade::make_cascade_detector(
      std::make_shared<const detector::cascade::Scanner>(cascade), std::make_shared<Workers>(2),
      frame.upright(), options);
  return detect(*detector, frame);
}

}  // namespace

Detections on_cpu(const detector::cascade::Cascade& cascade, const Frame& frame,
                  const detector::cascade::LevelOptions& levels, float threshold) {
  return found_by(cascade, frame, {.levels = levels, .score_threshold = threshold});
}

Detections every_window_on_cpu(const detector::cascade::Cascade& cascade, const Frame& frame,
                               const detector::cascade::LevelOptions& levels) {
  return found_by(cascade, frame, {.levels = levels, .every_window = true});
}

}  // namespace facepipe::test
