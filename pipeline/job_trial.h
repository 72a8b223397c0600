// Tries a job, to find out what it takes and what it would do, without writing anything.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "pipeline/job_observer.h"
#include "pipeline/job_options.h"
#include "pipeline/job_result.h"
#include "video/write/output_bytes.h"

namespace facepipe::pipeline {

class Backend;

struct TrialResult {
  JobResult job;
  video::OutputBytes bytes;  ///< all 0 if the job writes no video
};

/// Runs a job as run_job() does, with the same encoder and muxer, but nothing is written to the
/// disk: the output is only counted.
/// @param limit_s  if it has a value, the job ends early when its threads have run for so many
///                 seconds. The frames that were read by then are finished, at least one. The
///                 result is then JobResult::interrupted.
/// Errors: as run_job(), except that an output which exists, or
/// which can't be written, is not an error.
[[nodiscard]] TrialResult try_job(const JobOptions& options, Backend& backend,
                                  const JobObserver& observer, const std::stop_token& stop,
                                  std::optional<double> limit_s = {});

/// Says what becomes of one stream of the input.
struct StreamPreview {
  int index = 0;
  std::string type;      ///< "video", "audio", "subtitle" and so on
  std::string codec;     ///< FFmpeg's name
  std::string language;  ///< empty if the input doesn't say ("und")
  std::string action;    ///< "encode", "copy", "convert", "attach" or "drop"
  std::string to_codec;  ///< codec in the output; empty if the stream is dropped
  std::string note;      ///< the notice about the stream; empty if there is none
};

/// Says what a job would do. There are more than seven members, because each is a separate fact.
struct JobPreview {
  CodecNames codecs;  ///< the encoder and the container are empty without video
  Size size;          ///< of the upright picture
  double frame_rate = 0;
  double duration_s = 0;    ///< as the header states; 0 if unknown
  std::int64_t frames = 0;  ///< in the chosen range; 0 if unknown
  LanePlan lanes;
  std::vector<StreamPreview> streams;  ///< only if video is written
  /// Bytes of all streams that are copied, in the chosen range; nullopt if the input doesn't list
  /// all packets.
  std::optional<std::int64_t> copied_bytes;
  std::vector<std::string> notices;
};

/// Plans a job and opens its encoder, but runs nothing and writes nothing. Errors: as plan_job(),
/// and those of opening the encoder. Throws Stopped.
[[nodiscard]] JobPreview preview_job(const JobOptions& options, Backend& backend,
                                     const std::stop_token& stop);

}  // namespace facepipe::pipeline
