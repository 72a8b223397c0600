// Runs one input through all stages: takes options, returns a result.
#pragma once

#include <memory>
#include <stop_token>

#include "pipeline/job_observer.h"
#include "pipeline/job_options.h"
#include "pipeline/job_result.h"
#include "video/read/source.h"

namespace facepipe::pipeline {

class Backend;

/// Runs one input to its end. The run ends early if `stop` is requested, the disk is full, the
/// input can't be read any further, or hiding fails. The output so far is then finished under a
/// partial name. The output appears under its own name only when it is complete. Throws Error; this
/// run then leaves no output, unless the error names the file that is kept. Throws Error(usage) at
/// the end if no instruction to hide applied to any frame (pipeline/hide/instructions.h).
/// @param opened  the input, if it is open already; nothing may have been read from it
[[nodiscard]] JobResult run_job(const JobOptions& options, Backend& backend,
                                const JobObserver& observer, const std::stop_token& stop,
                                std::unique_ptr<video::Source> opened = nullptr);

}  // namespace facepipe::pipeline
