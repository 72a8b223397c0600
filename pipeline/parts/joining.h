// Joins the parts of an output.
#pragma once

#include <memory>
#include <stop_token>

#include "pipeline/backend.h"
#include "pipeline/job_observer.h"
#include "pipeline/job_options.h"
#include "pipeline/job_result.h"
#include "video/read/source.h"

namespace facepipe::pipeline {

/// Runs a job with JobOptions::join: makes the output of part files, and copies the other streams
/// of the input. The arguments, the result and the errors are those of run_job(). Throws
/// Error(input), too, if a part is missing, incomplete, damaged, or of another plan, if parts were
/// made in different ways, or if the input isn't the one that was split.
[[nodiscard]] JobResult join_parts(const JobOptions& options, Backend& backend,
                                   const JobObserver& observer, const std::stop_token& stop,
                                   std::unique_ptr<video::Source> opened);

}  // namespace facepipe::pipeline
