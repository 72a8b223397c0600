#include "app/run/resume.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <map>
#include <string>
#include <system_error>

#include "app/output/text.h"
#include "app/run/existing_output.h"
#include "core/files/output_lock.h"

namespace facepipe::app {

namespace fs = std::filesystem;

void Resume::skip_what_is_done(std::vector<InputOutcome>& outcomes) {
  if (!is_on()) return;
  forget_ambiguous_names(outcomes);
  for (InputOutcome& outcome : outcomes) skip_if_done(outcome);
}

void Resume::forget_ambiguous_names(const std::vector<InputOutcome>& outcomes) {
  // Names are compared in the form that the files contain. In this form, different names that are
  // not UTF-8 may be equal.
  std::map<std::string, int> names;
  for (const InputOutcome& outcome : outcomes) ++names[json_string(outcome.planned.name)];
  for (const InputOutcome& outcome : outcomes)
    if (names[json_string(outcome.planned.name)] > 1) files_.drop(outcome.planned.name);
}

void Resume::skip_if_done(InputOutcome& outcome) const {
  const PlannedInput& planned = outcome.planned;
  const bool has_frames = files_.has_frames(planned.name);
  if (outcome.status == InputStatus::skipped && !has_frames) {
    outcome.status = InputStatus::waiting;
    outcome.code = kExitDone;  // the new work on the input sets the code
    outcome.keeps_video = true;
    spdlog::warn(
        "{}: {} exists, but --detections or --latency doesn't have all frames of it: the run works "
        "on the input again, and leaves the video as it is",
        planned.input, planned.output.string());
  }
  if (outcome.status != InputStatus::waiting || options_.video || !has_frames) return;
  outcome.status = InputStatus::skipped;
  if (files_.reported_damaged(planned.name))
    note_earlier_damage(options_, outcome, "its report says so");
}

bool Resume::nothing_is_left(const std::vector<InputOutcome>& outcomes) const {
  return is_on() && !any_is(InputStatus::failed, outcomes) &&
         !any_is(InputStatus::waiting, outcomes) && files_.frames_change_nothing() &&
         (options_.files.report.empty() || files_.has_finished_report()) &&
         (options_.files.page.empty() || std::filesystem::exists(options_.files.page));
}

void remove_locks_of_dead_runs(const std::vector<InputOutcome>& outcomes) {
  for (const InputOutcome& outcome : outcomes) {
    const bool finished = outcome.status == InputStatus::skipped || outcome.keeps_video;
    const fs::path& output = outcome.planned.output;
    std::error_code error;
    if (!finished || output.empty() || !fs::exists(OutputLock::record_path(output), error))
      continue;
    // A new lock takes over the dead run's lock. The new lock's destructor then removes the lock.
    static_cast<void>(attempt({}, [&] { const OutputLock lock(output); }));
  }
}

}  // namespace facepipe::app
