// Makes detectors that are networks on a CUDA device.
#pragma once

#include <memory>

#include "core/device.h"
#include "detector/cuda_detector.h"
#include "detector/options.h"

namespace facepipe::detector {

/// Reads the model and tests the device. `choice` must be an engine of this family. Throws the same
/// errors as make_cuda_detector_factory().
[[nodiscard]] std::unique_ptr<CudaDetectorFactory> make_cuda_cnn_factory(
    const EngineChoice& choice, Device device, const DetectorOptions& options);

}  // namespace facepipe::detector
