// The devices of this build; the only place that knows whether CUDA was built in.
#pragma once

#include <memory>

#include "core/device.h"
#include "detector/options.h"
#include "pipeline/backend.h"
#include "pipeline/cuda/abilities.h"
#include "pipeline/cuda/one_frame.h"

namespace facepipe {

/// What there is of CUDA on this machine.
[[nodiscard]] CudaProbe probe_cuda();

/// The same at length; nothing of it in a build without CUDA.
[[nodiscard]] CudaAbilities find_cuda_abilities();

/// As detect_one_frame(). Errors: device, too, in a build without CUDA.
[[nodiscard]] OneFrameResult detect_on_cuda(const Frame& frame, Device device,
                                            const DetectorOptions& options);

/// Loads the model for `device`. Errors: device, usage.
[[nodiscard]] std::unique_ptr<Backend> make_backend(const Device& device,
                                                    const DetectorOptions& options);

}  // namespace facepipe
