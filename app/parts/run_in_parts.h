// Runs a job in parts, one after the other, and joins them: `run --parts`.
#pragma once

#include <stop_token>

#include "app/options/options.h"
#include "app/run/two_passes.h"
#include "pipeline/job_observer.h"
#include "pipeline/job_options.h"
#include "pipeline/job_result.h"

namespace facepipe::app {

/// Makes the output of `job` in parts, as `split run`, `part` and `join` do on several machines.
/// The part files are in the folder OUTPUT.parts, or in the system's folder for temporary files if
/// there is no video. They stay there if the run ends early: the next run goes on with them. Throws
/// the errors of plan_parts() and of `run`; Error(output) if the folder can't be made.
/// @param run  runs a job
[[nodiscard]] pipeline::JobResult run_in_parts(const RunOptions& options,
                                               const pipeline::JobOptions& job,
                                               const pipeline::JobObserver& observer,
                                               const RunJob& run, const std::stop_token& stop);

/// Joins parts. First makes the part files of RunOptions::long_scenes, unless they are complete.
/// Throws the errors of `run`.
/// @param job  with JobOptions::join
/// @param run  runs a job
[[nodiscard]] pipeline::JobResult join_with_scenes(const RunOptions& options,
                                                   const pipeline::JobOptions& job,
                                                   const pipeline::JobObserver& observer,
                                                   const RunJob& run);

}  // namespace facepipe::app
