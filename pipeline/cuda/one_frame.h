// One picture of the host through a device's detector, for a self-test: the pipeline's own way
// never sees the host. Known to builds without CUDA, too.
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
  double milliseconds = 0;  ///< of the second run: the first one warms the device up
};

/// Candidates with score > options.score_threshold, in raster order. `frame` is planar 4:2:0 in
/// host memory. Makes `device` the calling thread's, and waits. Errors: as
/// make_cuda_detector_factory() and CudaDetectorFactory::detector().
[[nodiscard]] OneFrameResult detect_one_frame(const Frame& frame, Device device,
                                              const detector::DetectorOptions& options);

}  // namespace facepipe::pipeline
