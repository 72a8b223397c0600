// Tries the job of an input on short parts of the input.
#pragma once

#include <string>
#include <vector>

#include "app/plan/estimate.h"
#include "app/run/run_parts.h"
#include "pipeline/backend.h"
#include "pipeline/job_options.h"
#include "pipeline/job_trial.h"

namespace facepipe::app {

struct TriedJob {
  std::vector<Trial> trials;         ///< at least one; the first begins where the job begins
  std::vector<std::string> notices;  ///< of the first trial
};

/// Runs the job on up to three parts of the input: at its beginning and, if the input is a file, at
/// 40 % and at 75 % of the chosen range. Nothing is written to the disk. The parts end when
/// `limit_s` seconds are over, half of them for the first part; finishing the frames that were read
/// then takes a little longer. Throws the errors of the first part, and Stopped if the user stops
/// the program.
/// @param preview  pipeline::preview_job() of the same job
[[nodiscard]] TriedJob try_input(const pipeline::JobOptions& job,
                                 const pipeline::JobPreview& preview, pipeline::Backend& backend,
                                 const RunContext& context, double limit_s);

}  // namespace facepipe::app
