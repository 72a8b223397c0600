// Several devices that work on one job.
#pragma once

#include <memory>
#include <vector>

#include "pipeline/backend.h"

namespace facepipe::pipeline {

/// A backend whose lanes are those of all `devices`, one at least, in turn. The first one opens the
/// input and plans the output; a frame stays on the device that decodes it. Of one device: itself.
[[nodiscard]] std::unique_ptr<Backend> join_devices(std::vector<std::unique_ptr<Backend>> devices);

}  // namespace facepipe::pipeline
