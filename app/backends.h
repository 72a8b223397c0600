// The devices of this build; the only place that knows whether CUDA was built in.
#pragma once

#include <memory>

#include "core/device.h"
#include "detector/options.h"
#include "pipeline/backend.h"

namespace facepipe {

/// What there is of CUDA on this machine. The driver, which takes a while to start, is asked only
/// where the request names CUDA.
[[nodiscard]] CudaProbe probe_cuda(const DeviceRequest& request);

/// Loads the model for `device`. Errors: device, usage.
[[nodiscard]] std::unique_ptr<Backend> make_backend(const Device& device,
                                                    const DetectorOptions& options);

}  // namespace facepipe
