// Joins several devices to one backend, so that they work on one job.
#pragma once

#include <memory>
#include <vector>

#include "pipeline/backend.h"

namespace facepipe::pipeline {

/// Makes a backend that distributes its lanes over all `devices` (at least one) in turn. The first
/// device opens the input and plans the output. A frame stays on the device that decodes it. If
/// there is only one device, returns that device.
[[nodiscard]] std::unique_ptr<Backend> join_devices(std::vector<std::unique_ptr<Backend>> devices);

}  // namespace facepipe::pipeline
