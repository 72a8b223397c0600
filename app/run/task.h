// Decides how a run ends that a scheduler repeats if it fails (--task). A task makes its whole
// output, or no output: another attempt begins again.
#pragma once

#include <filesystem>
#include <stop_token>

#include "app/failure.h"
#include "app/options/options.h"
#include "app/output/progress.h"
#include "pipeline/job_result.h"

namespace facepipe::app {

/// Returns the exit code of a failure. For a task it is kExitTryAgain if another attempt may
/// succeed, and kExitTerminated instead of kExitInterrupted if SIGTERM has stopped the program.
[[nodiscard]] int code_of(const Failure& failure, const RunOptions& options);

/// Returns whether the exit code says that the program was stopped.
[[nodiscard]] inline bool is_stop(int code) {
  return code == kExitInterrupted || code == kExitTerminated;
}

/// Returns whether a task with this exit code may be repeated. Then it leaves no files.
[[nodiscard]] inline bool is_repeated(int code) { return is_stop(code) || code == kExitTryAgain; }

/// Throws the failure of a job, or Stopped if the job was interrupted. Otherwise the job is whole.
void expect_whole(const pipeline::JobResult& result);

/// Waits until no other program writes the file. Waits for at most TaskOptions::patience. Does
/// nothing if the options are not those of a task. Throws LockHeld if the wait was too short, or
/// Stopped.
void wait_for_lock(const std::filesystem::path& file, const RunOptions& options,
                   const std::stop_token& stop);

/// Waits for the locks of the files besides the videos, as wait_for_lock() does.
void wait_for_side_files(const RunOptions& options, const std::stop_token& stop);

/// Returns the name of this machine and the number of this attempt. The number comes from the
/// environment variables of schedulers: FACEPIPE_ATTEMPT (which facepipe-ray sets),
/// SLURM_RESTART_COUNT and AWS_BATCH_JOB_ATTEMPT. It is unknown if none of them is set to a number.
[[nodiscard]] TaskPlace this_task();

}  // namespace facepipe::app
