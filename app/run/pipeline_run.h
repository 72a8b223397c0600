// Runs the command of RunOptions with the real pipeline.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "app/options/options.h"
#include "pipeline/job_observer.h"

namespace facepipe::app {

/// Hears from a run. The functions may be empty. They are called on threads of the run.
struct RunWatch {
  std::function<void(const pipeline::Progress&)> progress;
  /// Gets the error of an input whose job has failed, as one line.
  std::function<void(const std::string&)> failed;
};

/// Calls run(). Throws its errors.
[[nodiscard]] int run_with_pipeline(const RunOptions& options, const std::stop_token& stop,
                                    const RunWatch& watch = {});

/// Says where a run of one input would write its video, or why it would fail at once.
struct PlannedVideo {
  std::filesystem::path path;
  std::string error;  ///< one line; empty if nothing speaks against the run
};
/// Throws the errors of plan_run().
[[nodiscard]] PlannedVideo planned_video(const RunOptions& options, const std::stop_token& stop);

}  // namespace facepipe::app
