// The stages of a job on a CUDA device.
#pragma once

#include <memory>

#include "core/device.h"
#include "detector/cuda_detector.h"
#include "pipeline/stages.h"

namespace facepipe {

/// `requests` frames may be on the device at once. The other arguments must outlive it.
[[nodiscard]] std::unique_ptr<Stages> make_cuda_stages(const JobOptions& options, Device device,
                                                       const CudaDetectorFactory& detectors,
                                                       int requests);

}  // namespace facepipe
