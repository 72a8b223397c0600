// Makes and runs the job of one input of a run.
#pragma once

#include "app/run/input_outcome.h"
#include "app/run/run_device.h"
#include "app/run/run_parts.h"
#include "pipeline/job.h"

namespace facepipe::app {

/// Returns the options of one input's job, from the options of the run.
[[nodiscard]] pipeline::JobOptions job_options(const RunOptions& options,
                                               const InputOutcome& outcome);

/// Runs a job, in one pass or two. First adds facts to `job`: which file the input is, which tracks
/// to hide, and whether the input's faces are turned. Makes the folder of the output if --output
/// names a directory. Throws the errors of RunParts::job, read_known_tracks(), run_in_two_passes()
/// and look_for_turned_faces(). Throws Error(output) if the folder can't be made.
/// @param record  gets the input's SHA-256 if a report is wanted
[[nodiscard]] pipeline::JobResult run_input_job(pipeline::JobOptions& job,
                                                const pipeline::JobObserver& observer,
                                                RunDevice& device, const RunContext& context,
                                                InputRecord& record);

}  // namespace facepipe::app
