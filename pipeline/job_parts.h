// Makes the parts of a planned job: decoders, processors, encoders, and the output file.
#pragma once

#include <memory>

#include "pipeline/backend.h"
#include "pipeline/job_options.h"
#include "pipeline/job_plan.h"
#include "pipeline/lanes/lane.h"
#include "video/ffmpeg.h"
#include "video/write/muxer.h"

namespace facepipe::pipeline {

/// Makes the decoders of the planned job's lanes (the first lane may have its decoder already), and
/// the lanes' FrameMakers. All lanes give frames of the same size and format, made from pictures
/// like `first`. Errors: as Backend::make_decoder().
void open_decoders(PlannedJob& job, const AVFrame& first, JobDiagnostics diagnostics);

/// Makes the processors of the lanes, and OpenInput::hiding if the job hides faces. `options` must
/// outlive the job. Errors: device.
void make_processors(PlannedJob& job, const JobOptions& options, JobDiagnostics diagnostics);

/// Opens the lanes' encoders for frames like OpenInput::first. This first frame and JobPlan::output
/// must be set. Errors: as Backend::make_encoder().
void open_encoders(PlannedJob& job, JobDiagnostics diagnostics);

/// Opens the lanes' encoders and the output file for frames like OpenInput::first. This first frame
/// and JobPlan::output must be set. Errors: as Backend::make_encoder() and Muxer.
[[nodiscard]] std::unique_ptr<video::Muxer> open_output(PlannedJob& job,
                                                        JobDiagnostics diagnostics);

/// Makes all parts of a lane that joins a running job. The lane works on `backend`. `options` must
/// outlive the lane. No thread may read the input meanwhile. Errors: device.
[[nodiscard]] LaneParts make_lane(Backend& backend, const JobPlan& plan, const JobOptions& options,
                                  const OpenInput& input, JobDiagnostics diagnostics);

}  // namespace facepipe::pipeline
