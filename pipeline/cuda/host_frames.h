// A CUDA device whose engine takes no device memory: NVDEC decodes, the network runs on the device,
// and all between and behind is the CPU's work.
#pragma once

#include <memory>

#include "core/device.h"
#include "pipeline/backend.h"

namespace facepipe::pipeline {

/// Pictures that NVDEC decodes are downloaded at once (CopyKind::download); others are decoded on
/// the CPU and stay there. The rest is `on_host`'s: a backend of the CPU, whose detector tells what
/// the network's own copies are. Of several lanes one alone would work, so there is one.
[[nodiscard]] std::unique_ptr<Backend> make_host_frames_backend(Device device,
                                                                std::unique_ptr<Backend> on_host);

}  // namespace facepipe::pipeline
