// Runs a device's detector on one picture in host memory, for a self-test. (In the pipeline,
// pictures stay on the device.) Builds without CUDA can include this header, too.
#pragma once

#include "core/detections.h"
#include "core/device.h"
#include "core/frame.h"
#include "detector/facts.h"
#include "detector/options.h"

namespace facepipe::pipeline {

struct OneFrameResult {
  Detections candidates;
  detector::DetectorFacts facts;
  double milliseconds = 0;  ///< duration of the second run; the first run warms up the device
};

/// Returns the candidates with score > options.score_threshold, in raster order. `frame` must be
/// planar 4:2:0 in host memory. Makes `device` the calling thread's current device. Waits for the
/// result. Errors: as make_cuda_detector_factory() and CudaDetectorFactory::detector().
[[nodiscard]] OneFrameResult detect_one_frame(const Frame& frame, Device device,
                                              const detector::DetectorOptions& options);

}  // namespace facepipe::pipeline
