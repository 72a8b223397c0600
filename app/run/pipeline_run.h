// Runs the command of RunOptions, or plans it, with the real pipeline.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "app/failure.h"
#include "app/options/options.h"
#include "app/run/run_parts.h"
#include "pipeline/job_observer.h"

namespace facepipe::app {

/// Hears from a run. The functions may be empty. They are called on threads of the run.
struct RunWatch {
  std::function<void(const pipeline::Progress&)> progress;
  /// Gets the error of an input whose job has failed, as one line.
  std::function<void(const std::string&)> failed;
  /// True if the process ends after the run, see RunParts::process_ends.
  bool process_ends = false;
};

/// Calls run(). Throws its errors.
[[nodiscard]] int run_with_pipeline(const RunOptions& options, const std::stop_token& stop,
                                    const RunWatch& watch = {});

/// Calls `work` with the parts of a run that these options need. Returns what it returns.
[[nodiscard]] int with_pipeline(const RunOptions& options, const std::stop_token& stop,
                                const std::function<int(const RunParts&)>& work);

/// Says where a run of one input would write its video, or why it would fail at once.
struct PlannedVideo {
  std::filesystem::path path;  ///< may be empty if there is an error
  std::string error;           ///< one line, already printed; empty if nothing is wrong
  int code = kExitDone;        ///< the exit code of the error
};
/// Throws the errors of plan_run().
[[nodiscard]] PlannedVideo planned_video(const RunOptions& options, const std::stop_token& stop);

}  // namespace facepipe::app
