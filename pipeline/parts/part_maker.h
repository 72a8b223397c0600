// Says what has made a part.
#pragma once

#include "pipeline/backend.h"
#include "pipeline/job_plan.h"
#include "pipeline/parts/part_file.h"
#include "video/write/encoder.h"

namespace facepipe::pipeline {

/// Fills in what is known of the encoder and of the container. A job without video has neither.
void take_encoder(PartMaker& maker, const video::Encoder& encoder, const OutputPlan& plan);

/// Returns what the job works with.
/// @param options  of the job
/// @param encoder  nullptr if the job writes no video
[[nodiscard]] PartMaker part_maker(const Backend& backend, const JobOptions& options,
                                   const video::Encoder* encoder, const JobPlan& plan);

}  // namespace facepipe::pipeline
