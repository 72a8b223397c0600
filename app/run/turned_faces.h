// What a run does about faces that lie turned in the pixels of an input.
#pragma once

#include <string>

#include "app/run/input_outcome.h"
#include "app/run/run_parts.h"
#include "core/device.h"
#include "pipeline/job_options.h"

namespace facepipe::app {

/// Looks at some pictures of an input whose faces are hidden. If most faces are turned there, `job`
/// looks for turned faces, too, and the text that is returned says so to the user; else it is
/// empty. Throws Error(input) if the device can't look for turned faces, or with --strict.
[[nodiscard]] std::string look_for_turned_faces(pipeline::JobOptions& job, const RunFacts& facts,
                                                DeviceKind device, const RunContext& context);

}  // namespace facepipe::app
