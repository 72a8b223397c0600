// The job of one input of a run.
#pragma once

#include "app/run/input_outcome.h"
#include "app/run/run_device.h"
#include "app/run/run_parts.h"
#include "pipeline/job.h"

namespace facepipe::app {

/// Returns what the options of a run mean for one input.
[[nodiscard]] pipeline::JobOptions job_options(const RunOptions& options,
                                               const InputOutcome& outcome);

/// Runs a job, in one pass or two. `job` gets what must be found out first: which file the input
/// is, tracks to hide, and whether its faces are turned. Makes the folder of the output if
/// --output names a directory. Errors: as RunParts::job, read_known_tracks(), run_in_two_passes(),
/// look_for_turned_faces(); Error(output) if the folder can't be made.
[[nodiscard]] pipeline::JobResult run_input_job(pipeline::JobOptions& job,
                                                const pipeline::JobObserver& observer,
                                                RunDevice& device, const RunContext& context);

}  // namespace facepipe::app
