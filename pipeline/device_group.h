// Several devices that work on one job.
#pragma once

#include <memory>
#include <vector>

#include "pipeline/backend.h"

namespace facepipe::pipeline {

/// Makes a backend whose lanes are on all `devices` (at least one) in turn. The first device opens
/// the input and plans the output. A frame stays on the device that decodes it. A single device is
/// returned as it is.
[[nodiscard]] std::unique_ptr<Backend> join_devices(std::vector<std::unique_ptr<Backend>> devices);

}  // namespace facepipe::pipeline
