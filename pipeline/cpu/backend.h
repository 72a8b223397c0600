// Makes the backend of the CPU.
#pragma once

#include <memory>

#include "detector/detector.h"
#include "pipeline/backend.h"

namespace facepipe::pipeline {

/// Makes a backend that does everything on the CPU.
/// @param detectors  may be nullptr if all jobs have known tracks (HideJob::known)
[[nodiscard]] std::unique_ptr<Backend> make_cpu_backend(
    std::unique_ptr<detector::DetectorFactory> detectors);

}  // namespace facepipe::pipeline
