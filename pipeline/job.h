// One input through all stages: options in, result out.
#pragma once

#include <memory>
#include <stop_token>

#include "pipeline/job_observer.h"
#include "pipeline/job_options.h"
#include "pipeline/job_result.h"
#include "video/read/source.h"

namespace facepipe::pipeline {

class Backend;

/// Runs one input to its end, or until `stop` is requested, the disk is full, the input can't be
/// read any further, or hiding fails (then the output so far is finished under a partial name). The
/// output appears under its name only when it is complete. Throws Error; then this run leaves no
/// output, unless the error names what is kept. Throws Error(usage) at the end if no frame was one
/// to which an instruction to hide applied (pipeline/hide/instructions.h).
/// @param opened  the input, if it is open already and nothing was read from it
[[nodiscard]] JobResult run_job(const JobOptions& options, Backend& backend,
                                const JobObserver& observer, const std::stop_token& stop,
                                std::unique_ptr<video::Source> opened = nullptr);

}  // namespace facepipe::pipeline
