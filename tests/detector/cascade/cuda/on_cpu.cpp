#include "tests/detector/cascade/cuda/on_cpu.h"

#include <memory>

#include "detector/cascade/cpu/cascade_detector.h"

namespace facepipe::test {

Detections on_cpu(const cascade::Cascade& cascade, const Frame& frame,
                  const cascade::LevelOptions& levels, float threshold) {
  const auto detector = cascade::make_cascade_detector(
      std::make_shared<const cascade::Scanner>(cascade), std::make_shared<Workers>(2),
      frame.upright(), {.levels = levels, .score_threshold = threshold});
  const auto request = detector->acquire({});
  request->prepare(frame);
  request->start();
  return request->collect();
}

}  // namespace facepipe::test
