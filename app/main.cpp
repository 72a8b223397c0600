// The program: parses the arguments, runs the command, and returns the exit code.
#include <spdlog/spdlog.h>

#include <cstdio>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/calibrate.h"
#include "app/doctor/doctor.h"
#include "app/failure.h"
#include "app/model_check/model_check.h"
#include "app/options/options.h"
#include "app/output/command_text.h"
#include "app/output/progress.h"
#include "app/parent_watch.h"
#include "app/parts/part_runs.h"
#include "app/parts/split.h"
#include "app/plan/plan.h"
#include "app/process_limits.h"
#include "app/process_setup.h"
#include "app/review/review.h"
#include "app/run/pipeline_run.h"
#include "app/run/task.h"
#include "app/standard_streams.h"
#include "app/stop_signals.h"
#include "app/verify/verify.h"
#include "core/error.h"
#include "core/files/output_file.h"
#include "core/files/output_names.h"

namespace facepipe::app {
namespace {

spdlog::level::level_enum level_of(const Console& console) {
  return console.quiet ? spdlog::level::err : console.log_level;
}

int execute(const ShowText& shown) {
  std::FILE* const stream = shown.lacks_command ? stderr : stdout;
  const bool coloured = !shown.coloured.empty() && takes_colours(fileno(stream));
  const int code = write_at_once(stream, coloured ? shown.coloured : shown.text);
  if (shown.lacks_command) return exit_code(ErrorKind::usage);
  if (code != 0) throw standard_output_error(code);
  return kExitDone;
}

int execute(const DoctorOptions& options) {
  set_log_level(spdlog::level::err);
  return doctor(options, print);
}

int execute(const VerifyOptions& options) {
  const StopSignals signals;
  set_log_level(level_of(options.console));
  return verify(options, signals.token());
}

int execute(const CalibrateOptions& options) {
  const StopSignals signals;
  set_log_level(options.quiet ? spdlog::level::err : spdlog::level::info);
  return calibrate(options, signals.token());
}

int execute(const ModelCheckOptions& options) {
  const StopSignals signals;
  set_log_level(spdlog::level::warn);
  // If the draft goes to standard output, all other text goes to standard error.
  return check_model(options, options.draft == "-" ? print_to_stderr : print, signals.token());
}

/// Tells programs that read JSON lines how a run has ended before it worked on its inputs.
void report_end_of_run(const RunOptions& options, const std::string& status, int code,
                       const std::string& error) {
  if (progress_kind(options.console) != ProgressKind::json) return;
  ProgressState state;
  state.inputs = options.inputs.size();
  state.status = status;
  if (options.task.wanted) state.task.emplace(this_task());
  state.result.emplace(code, without_queries(error));
  static_cast<void>(write_at_once(stdout, progress_json(state)));
}

int execute(const RunOptions& options) {
  const StopSignals signals;
  std::optional<ParentWatch> watch;
  if (options.task.dies_with_parent) watch.emplace();
  std::optional<NoPartialFiles> no_partial_files;
  if (options.task.wanted) no_partial_files.emplace();
  set_log_level(level_of(options.console));
  int code = kExitDone;
  const auto failure = attempt({}, [&] { code = run_with_pipeline(options, signals.token()); });
  if (!failure) return code;
  print_failure(failure->message);
  code = code_of(*failure, options);
  report_end_of_run(options, "failed", code, failure->message);
  return code;
}

int execute(const SplitOptions& options) {
  const StopSignals signals;
  set_log_level(level_of(options.run.console));
  return split(options, signals.token());
}

/// Returns the exit code of a part that exists already, or that can't be made now; nullopt if it
/// must be made.
std::optional<int> code_without_work(const RunOptions& run) {
  const StopSignals signals;
  set_log_level(level_of(run.console));
  std::optional<int> code;
  const auto failure = attempt({}, [&] { code = code_of_finished_part(run, signals.token()); });
  if (!failure) {
    if (code) report_end_of_run(run, "skipped", *code, {});
    return code;
  }
  print_failure(failure->message);
  code = code_of(*failure, run);
  report_end_of_run(run, "failed", *code, failure->message);
  return code;
}

int execute(const PartOptions& options) {
  const RunOptions run = run_of_part(options);
  const std::optional<int> code = code_without_work(run);
  return code ? *code : execute(run);
}

int execute(const JoinOptions& options) { return execute(run_of_join(options)); }

int execute(const ReviewOptions& options) {
  const StopSignals signals;
  set_log_level(level_of(options.hide.console));
  return review(options, signals.token());
}

int execute(const PlanOptions& options) {
  const StopSignals signals;
  set_log_level(level_of(options.run.console));
  return with_pipeline(options.run, signals.token(), [&](const RunParts& parts) {
    return plan(options, parts, signals.token());
  });
}

/// Reports the files that could not be removed. If there are any, returns an error code instead of
/// success.
int report_files_left_behind(int code) {
  for (const std::string& line : take_files_left_behind()) {
    print_failure(line);
    if (code == kExitDone) code = exit_code(ErrorKind::output);
  }
  return code;
}

int run_program(const std::vector<std::string>& arguments) {
  int code = kExitDone;
  const auto failure = attempt({}, [&] {
    set_up_libraries();
    const Command command = parse_command(arguments);
    code = std::visit([](const auto& options) { return execute(options); }, command);
  });
  if (failure) {
    print_failure(failure->message);
    code = failure->code;
  }
  return report_files_left_behind(code);
}

}  // namespace
}  // namespace facepipe::app

int main(int argc, char** argv) {
  using namespace facepipe;
  using namespace facepipe::app;
  set_up_process();
  int code = kExitDone;
  const auto failure = attempt({}, [&] {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    code = with_enough_stack([&] { return run_program(arguments); });
  });
  if (!failure) return code;
  print_failure(failure->message);
  return failure->code;
}
