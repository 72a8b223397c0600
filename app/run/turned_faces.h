// What a run does about faces that lie turned in the pixels of an input.
#pragma once

#include <string>

#include "app/run/input_outcome.h"
#include "app/run/run_parts.h"
#include "pipeline/job_options.h"

namespace facepipe::app {

/// Looks at some pictures of an input whose faces are hidden. If most faces are turned there, `job`
/// looks for turned faces, too; the function logs a warning that says so, and returns its text.
/// Else the text is empty. Throws Error(input) if the device can't look for turned faces, or with
/// --strict.
[[nodiscard]] std::string look_for_turned_faces(pipeline::JobOptions& job, const RunFacts& facts,
                                                const RunContext& context);

}  // namespace facepipe::app
