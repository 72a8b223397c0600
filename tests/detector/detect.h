// Runs a detector on one frame.
#pragma once

#include "detector/detector.h"

namespace facepipe::test {

inline Detections detect(detector::Detector& detector, const Frame& frame) {
  const auto request = detector.acquire({});
  request->prepare(frame);
  request->start();
  return request->collect();
}

}  // namespace facepipe::test
