#include "app/run/run_progress.h"

#include <string>

#include "app/standard_streams.h"
#include "core/error.h"

namespace facepipe::app {

RunProgress::RunProgress(const Console& console, std::size_t inputs, FileFailures& failures)
    : inputs_(inputs), failures_(failures), kind_(progress_kind(console)) {}

std::FILE* RunProgress::stream() const { return kind_ == ProgressKind::json ? stdout : stderr; }

ProgressState RunProgress::first_state(std::size_t index, const InputOutcome& outcome) const {
  ProgressState first;
  first.file = outcome.planned.name;
  first.input = index + 1;
  first.inputs = inputs_;
  return first;
}

void RunProgress::end(ProgressTeller& teller, InputStatus status) {
  const bool whole = status == InputStatus::done || status == InputStatus::damaged;
  teller.end(std::string(to_string(status)),
             whole ? ProgressEnd::of_all_frames : ProgressEnd::before_the_last);
  const int code = teller.write_error();
  if (kind_ != ProgressKind::json || code == 0 || has_failed_.exchange(true)) return;
  const Error error = standard_output_error(code);
  failures_.report(Failure{exit_code(error.kind()), error.what()});
}

}  // namespace facepipe::app
