// Makes the backend for a CUDA device with an engine that takes its input from host memory. NVDEC
// decodes, the network runs on the device, and the CPU does all other work.
#pragma once

#include <memory>

#include "core/device.h"
#include "pipeline/backend.h"

namespace facepipe::pipeline {

/// Makes the backend. Pictures that NVDEC decodes are downloaded at once (CopyKind::download). The
/// CPU decodes other pictures, and these stay in host memory. `on_host` does everything else. It is
/// a backend of the CPU; its detector counts the copies for the network. There is one lane, because
/// several lanes could not work at the same time.
[[nodiscard]] std::unique_ptr<Backend> make_host_frames_backend(Device device,
                                                                std::unique_ptr<Backend> on_host);

}  // namespace facepipe::pipeline
