// Makes the hiding device of a CUDA device.
#pragma once

#include <memory>

#include "core/device.h"
#include "detector/cuda_detector.h"
#include "pipeline/backend.h"
#include "pipeline/hide/hiding.h"

namespace facepipe::pipeline {

/// Makes the hiding device of one job (Backend::make_hiding_device()). The job in `setup` must hide
/// faces. Errors: device.
/// @param detectors  null if tracks are known; outlives the result
[[nodiscard]] std::unique_ptr<HidingDevice> make_cuda_hiding_device(
    const ProcessorSetup& setup, Device device, const detector::CudaDetectorFactory* detectors);

}  // namespace facepipe::pipeline
