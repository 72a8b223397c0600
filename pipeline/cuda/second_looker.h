// Lets a detector look again at faces of frames in device memory.
#pragma once

#include <memory>

#include "core/copies.h"
#include "core/device.h"
#include "detector/cuda_detector.h"
#include "pipeline/hide/hiding.h"

namespace facepipe::pipeline {

/// Makes a SecondLooker; nullptr if second looks don't suit the model. Makes `device` the calling
/// thread's current device. Errors: device.
/// @param frames  the layout of all frames
/// @param copies  must outlive the result
[[nodiscard]] std::shared_ptr<SecondLooker> make_cuda_second_looker(
    Device device, const detector::CudaDetectorFactory& detectors, const StreamLayout& frames,
    CopyCounter& copies);

}  // namespace facepipe::pipeline
