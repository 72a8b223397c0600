// Decides what a run does if faces are turned in the pixels of an input.
#pragma once

#include <string>

#include "app/run/input_outcome.h"
#include "app/run/run_parts.h"
#include "pipeline/job_options.h"

namespace facepipe::app {

/// If the job hides faces, finds out from a few pictures of the input whether most faces are
/// turned. If most faces are turned, sets `job` to look for turned faces, too, logs a warning, and
/// returns the warning's text. Otherwise returns an empty text. Throws Error(input) if faces are
/// turned and --strict was given.
[[nodiscard]] std::string look_for_turned_faces(pipeline::JobOptions& job, const RunFacts& facts,
                                                const RunContext& context);

}  // namespace facepipe::app
