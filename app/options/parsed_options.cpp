#include "app/options/parsed_options.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/error.h"
#include "core/output_file.h"
#include "video/input_access.h"

namespace facepipe {
namespace {

constexpr float kLeastMinScore = 1e-6F;

/// The library's own check, with its words behind the option that is meant.
void settle_suppression(ParsedOptions& parsed) {
  RunOptions& run = parsed.run;
  // A score of 0 selects everything: the least that soft takes.
  run.job.nms.soft.min_score =
      parsed.min_score.value_or(std::max(run.detector.score_threshold, kLeastMinScore));
  try {
    check_nms_options(run.job.nms, nms_capacity(run.job.nms));
  } catch (const std::invalid_argument& refused) {
    throw Error(ErrorKind::usage, std::string("--nms-rule ") +
                                      std::string(name_of(run.job.nms.rule)) + ": " +
                                      refused.what());
  }
}

/// "-" as the names that the files of the streams have.
void settle_standard_streams(RunOptions& run) {
  std::replace(run.inputs.begin(), run.inputs.end(), std::string("-"), std::string(kStandardInput));
  if (run.output == "-") run.output = kStandardOutput;
  if (run.output != kStandardOutput) return;
  if (run.job.format.empty()) run.job.format = "matroska";
  if (run.progress == ProgressStyle::json)
    throw Error(ErrorKind::usage,
                "--output - and --progress json exclude each other: both go to standard output");
}

}  // namespace

void settle(ParsedOptions& parsed) {
  RunOptions& run = parsed.run;
  run.inputs.insert(run.inputs.end(), parsed.plain_inputs.begin(), parsed.plain_inputs.end());
  settle_standard_streams(run);
  run.video = !parsed.no_video;
  if (parsed.overwrite) run.existing = ExistingOutput::overwrite;
  if (parsed.skip_existing) run.existing = ExistingOutput::skip;
  const auto clash = [](const char* text) { throw Error(ErrorKind::usage, text); };
  if (parsed.overwrite && parsed.skip_existing)
    clash("--overwrite and --skip-existing exclude each other");
  if (!run.video && !run.output.empty()) clash("--no-video and --output exclude each other");
  if (!run.video && parsed.skip_existing && run.files.detections.empty() &&
      run.files.latency.empty())
    clash("--skip-existing with --no-video goes by --detections or --latency, which must be named");
  if (run.job.end_s && *run.job.end_s <= run.job.start_s.value_or(0))
    clash("--end must be later than --start");
  if (run.job.max_face > 0 && run.job.max_face < run.job.min_face)
    clash("--max-face must not be less than --min-face");
  settle_suppression(parsed);
}

}  // namespace facepipe
