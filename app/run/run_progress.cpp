#include "app/run/run_progress.h"

#include <string>

#include "app/run/task.h"
#include "app/standard_streams.h"
#include "core/error.h"

namespace facepipe::app {

RunProgress::RunProgress(const RunOptions& options, std::size_t inputs, FileFailures& failures)
    : inputs_(inputs),
      of_task_(options.task.wanted),
      failures_(failures),
      kind_(progress_kind(options.console)) {}

std::FILE* RunProgress::stream() const { return kind_ == ProgressKind::json ? stdout : stderr; }

ProgressState RunProgress::first_state(std::size_t index, const InputOutcome& outcome) const {
  ProgressState first;
  first.file = outcome.planned.name;
  first.input = index + 1;
  first.inputs = inputs_;
  if (of_task_) first.task.emplace(this_task());
  return first;
}

void RunProgress::end(ProgressReporter& reporter, const InputOutcome& outcome) {
  const bool whole = outcome.status == InputStatus::done || outcome.status == InputStatus::damaged;
  reporter.end(std::string(to_string(outcome.status)),
               whole ? ProgressEnd::of_all_frames : ProgressEnd::before_the_last,
               ProgressResult{outcome.code, outcome.error});
  report_write_error(reporter.write_error());
}

void RunProgress::report_end(std::size_t index, const InputOutcome& outcome) {
  if (kind_ != ProgressKind::json) return;
  ProgressState state = first_state(index, outcome);
  state.status = to_string(outcome.status);
  state.result.emplace(outcome.code, outcome.error);
  report_write_error(write_at_once(stream(), progress_json(state)));
}

void RunProgress::report_write_error(int code) {
  if (kind_ != ProgressKind::json || code == 0 || has_failed_.exchange(true)) return;
  const Error error = standard_output_error(code);
  failures_.report(Failure{exit_code(error.kind()), error.what()});
}

}  // namespace facepipe::app
