// Makes and runs the job of one input of a run.
#pragma once

#include <string>

#include "app/run/input_outcome.h"
#include "app/run/run_device.h"
#include "app/run/run_parts.h"
#include "pipeline/job.h"

namespace facepipe::app {

/// Returns the options of one input's job, from the options of the run.
[[nodiscard]] pipeline::JobOptions job_options(const RunOptions& options,
                                               const InputOutcome& outcome);

/// Holds what must be known before the job of an input runs.
struct JobPreparation {
  std::string sha256;  ///< of the input, if its tracks are read or written; otherwise empty
  std::string turned;  ///< the result of look_for_turned_faces()
};

/// Adds facts to `job`: which file the input is, which tracks to hide, what the model's card says,
/// and whether the input's faces are turned. Writes nothing. Throws the errors of
/// read_known_tracks() and look_for_turned_faces().
[[nodiscard]] JobPreparation prepare_job(pipeline::JobOptions& job, RunDevice& device,
                                         const RunContext& context);

/// Prepares a job (prepare_job()) and runs it, in one pass or two. Makes the folder of the output
/// if --output names a directory. Throws the errors of RunParts::job, prepare_job() and
/// run_in_two_passes(). Throws Error(output) if the folder can't be made.
/// @param record  gets the input's SHA-256 if a report is wanted
[[nodiscard]] pipeline::JobResult run_input_job(pipeline::JobOptions& job,
                                                const pipeline::JobObserver& observer,
                                                RunDevice& device, const RunContext& context,
                                                InputRecord& record);

}  // namespace facepipe::app
