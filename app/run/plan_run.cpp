#include "app/run/plan_run.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "app/output/side_files.h"
#include "app/run/class_columns.h"
#include "app/run/existing_output.h"
#include "core/error.h"
#include "video/write/container.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

void check_that_tracks_belong_to_one_input(const SideFiles& files, std::size_t inputs) {
  const char* const option = !files.tracks.empty()         ? "--write-tracks"
                             : !files.known_tracks.empty() ? "--tracks"
                                                           : nullptr;
  if (option != nullptr && inputs != 1)
    throw Error(ErrorKind::usage, std::string(option) + ": the file belongs to one input, not to " +
                                      std::to_string(inputs));
}

void check_task_of_several(const RunOptions& options, const std::vector<InputOutcome>& outcomes) {
  const bool skips = options.existing == ExistingOutput::skip;
  if (options.task.wanted && !skips && has_several_inputs(options, outcomes))
    throw Error(ErrorKind::usage,
                "--task: a folder needs --skip-existing, so that another attempt leaves out what "
                "is done");
}

InputOutcome first_outcome(const RunOptions& options, const PlannedInput& input) {
  InputOutcome outcome;
  outcome.planned = input;
  if (input.failure)
    end_with_failure(outcome, *input.failure, options);
  else if (const auto failure =
               attempt(input.input, [&] { check_existing_output(options, outcome); }))
    end_with_failure(outcome, *failure, options);
  return outcome;
}

}  // namespace

std::vector<InputOutcome> plan_run(const RunOptions& options, const RunParts& parts) {
  const auto extension_of = [&](const std::string& input) {
    const std::string& format = options.job.output.format;
    if (!format.empty()) return video::extension_for(video::muxer_for(input, format), input);
    return parts.output_extension(input, options.job.output.encoder.codec);
  };
  const std::vector<PlannedInput> planned =
      plan_inputs(options.inputs,
                  {options.output, options.video, options.job.hide ? kHiddenSuffix : kDrawnSuffix},
                  extension_of);
  check_side_files(options.files, planned);
  check_that_tracks_belong_to_one_input(options.files, planned.size());
  std::vector<InputOutcome> outcomes;
  for (const PlannedInput& input : planned) outcomes.push_back(first_outcome(options, input));
  check_task_of_several(options, outcomes);
  return outcomes;
}

bool has_several_inputs(const RunOptions& options, const std::vector<InputOutcome>& outcomes) {
  std::error_code error;
  return outcomes.size() > 1 ||
         (!options.inputs.empty() && fs::is_directory(options.inputs.front(), error));
}

SideFiles wanted_side_files(const RunOptions& options, const std::vector<InputOutcome>& outcomes) {
  SideFiles files = options.files;
  files.face_fields.classes = has_class_columns(options);
  if (any_is(InputStatus::waiting, outcomes) || options.existing == ExistingOutput::skip)
    return files;
  for (fs::path* const file : {&files.detections, &files.latency, &files.tracks}) file->clear();
  return files;
}

}  // namespace facepipe::app
