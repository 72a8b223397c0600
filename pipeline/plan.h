// Decides all about one input before any thread starts.
#pragma once

#include <memory>
#include <stop_token>

#include "pipeline/backend.h"
#include "pipeline/job_options.h"
#include "pipeline/job_plan.h"
#include "video/read/source.h"

namespace facepipe::pipeline {

/// Opens the input, or takes it as `opened`, reads until the first picture has come (see
/// read_first_picture()), and decides who decodes, what frames are, and how they are encoded. Makes
/// nothing on disk. `backend` must outlive the result. If `stop` is requested, a blocked read ends,
/// and later the wait for a FIFO's reader. Errors: Error(input), Error(output), Error(usage),
/// Error(device); Stopped while the input is opened.
[[nodiscard]] PlannedJob plan_job(const JobOptions& options, Backend& backend,
                                  JobDiagnostics diagnostics, const std::stop_token& stop,
                                  std::unique_ptr<video::Source> opened = nullptr);

}  // namespace facepipe::pipeline
