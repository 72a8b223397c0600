// The CPU as a device.
#pragma once

#include <memory>

#include "detector/detector.h"
#include "pipeline/backend.h"

namespace facepipe::pipeline {

/// Does everything on the CPU.
/// @param detectors  nullptr only for jobs that look for nothing (HideJob::known)
[[nodiscard]] std::unique_ptr<Backend> make_cpu_backend(
    std::unique_ptr<detector::DetectorFactory> detectors);

}  // namespace facepipe::pipeline
