// Makes the parts that a job was planned to have: decoders, processors, encoders, and the file.
#pragma once

#include <memory>

#include "pipeline/backend.h"
#include "pipeline/job_options.h"
#include "pipeline/job_plan.h"
#include "pipeline/lanes/lane.h"
#include "video/ffmpeg.h"
#include "video/write/muxer.h"

namespace facepipe::pipeline {

/// Opens the decoders of the planned job's lanes, and makes those that aren't made yet. All give
/// frames like the first picture's. Errors: as Backend::make_decoder().
void open_decoders(PlannedJob& job, const AVFrame& first, JobDiagnostics diagnostics);

/// Makes what detects, and draws or hides, for the lanes; `options` must outlive it. Errors:
/// device.
void make_processors(PlannedJob& job, const JobOptions& options, JobDiagnostics diagnostics);

/// Opens the lanes' encoders, and the file, for frames like the planned job's first, which must be
/// there, as must its output. Errors: as Backend::make_encoder() and Muxer.
[[nodiscard]] std::unique_ptr<video::Muxer> open_output(PlannedJob& job,
                                                        JobDiagnostics diagnostics);

/// Makes all parts of a lane that joins a job under way, on a device of its own. `options` must
/// outlive it. Nobody may read the input meanwhile. Errors: device.
[[nodiscard]] LaneParts make_lane(Backend& backend, const JobPlan& plan, const JobOptions& options,
                                  const OpenInput& input, JobDiagnostics diagnostics);

}  // namespace facepipe::pipeline
