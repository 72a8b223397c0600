// Makes all decisions about one input before any thread starts.
#pragma once

#include <memory>
#include <stop_token>

#include "pipeline/backend.h"
#include "pipeline/job_options.h"
#include "pipeline/job_plan.h"
#include "video/read/source.h"

namespace facepipe::pipeline {

/// Plans a job. Opens the input, unless `opened` is the open input, and reads it up to the first
/// picture (read_first_picture()). Then decides which decoder is used, which size and format the
/// frames have, and how they are encoded. Writes nothing to disk. `backend` must outlive the
/// result. If `stop` is requested, a blocked read ends; later, the muxer's wait for a FIFO's reader
/// also ends. Errors: Error(input), Error(output), Error(usage), Error(device); Stopped while the
/// input is opened.
[[nodiscard]] PlannedJob plan_job(const JobOptions& options, Backend& backend,
                                  JobDiagnostics diagnostics, const std::stop_token& stop,
                                  std::unique_ptr<video::Source> opened = nullptr);

}  // namespace facepipe::pipeline
