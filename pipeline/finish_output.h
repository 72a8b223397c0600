// Completes the output of a job, and what its result says about the input.
#pragma once

#include <string>

#include "pipeline/job_options.h"
#include "pipeline/job_plan.h"
#include "pipeline/job_result.h"
#include "video/notices.h"
#include "video/read/ledger.h"
#include "video/read/source.h"
#include "video/write/encoder.h"
#include "video/write/muxer.h"

namespace facepipe::pipeline {

/// Fills in the facts that the source and the decoders report at the end, and adds notices about
/// what is lost, damaged or missing.
/// @param decoder     the name of the decoder
/// @param all         the counts of all decoders
/// @param whole_file  the input was read to its end
void fill_input(video::Source& source, const std::string& decoder, const video::FrameLedger& all,
                bool whole_file, JobResult& result, video::Notices& notices);

/// Completes the video and gives it its final name, or a partial name after an interruption or a
/// failure. Fills in the names of the codecs, the output and a failure of the disk. Throws the
/// failure if no part of the video is kept.
void finish_output(const JobOptions& options, const OutputPlan& plan, const video::Encoder& encoder,
                   video::Muxer& muxer, JobResult& result);

}  // namespace facepipe::pipeline
