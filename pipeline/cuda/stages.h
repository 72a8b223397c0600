// The stages of a job on a CUDA device.
#pragma once

#include <memory>

#include "core/device.h"
#include "detector/cnn/model/model.h"
#include "detector/options.h"
#include "pipeline/stages.h"

namespace facepipe {

/// All arguments must outlive it.
[[nodiscard]] std::unique_ptr<Stages> make_cuda_stages(const JobOptions& options, Device device,
                                                       const Model& model,
                                                       const DetectorOptions& detector);

}  // namespace facepipe
