// The program: parses the arguments, runs the command, and returns the exit code.
#include <spdlog/spdlog.h>

#include <cstdio>
#include <functional>
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
#include "app/sandbox/needs.h"
#include "app/sandbox/sandbox.h"
#include "app/standard_streams.h"
#include "app/stop_signals.h"
#include "app/verify/verify.h"
#include "app/visible_devices.h"
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
  set_log_level(level_of(options.console));
  const Sandbox sandbox(options.sandbox, [&] { return needs_of(options); });
  const StopSignals signals;
  return verify(options, signals.token());
}

int execute(const CalibrateOptions& options) {
  set_log_level(options.quiet ? spdlog::level::err : spdlog::level::info);
  const Sandbox sandbox(options.sandbox, [&] { return needs_of(options); });
  const StopSignals signals;
  return calibrate(options, signals.token());
}

int execute(const ModelCheckOptions& options) {
  set_log_level(spdlog::level::warn);
  const Sandbox sandbox(options.sandbox, [&] { return needs_of(options); });
  const StopSignals signals;
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

/// Prints the failure of a whole run, and returns the exit code.
int end_of_failed_run(const Failure& failure, const RunOptions& options) {
  print_failure(failure.message);
  const int code = code_of(failure, options);
  report_end_of_run(options, "failed", code, failure.message);
  return code;
}

/// Calls `work` in the sandbox of a run. Returns what it returns.
int in_sandbox(const RunOptions& options, const std::function<int()>& work) {
  set_log_level(level_of(options.console));
  show_needed_devices(options);  // before the sandbox asks CUDA for devices
  std::optional<Sandbox> sandbox;
  const auto failure =
      attempt({}, [&] { sandbox.emplace(options.sandbox, [&] { return needs_of(options); }); });
  return failure ? end_of_failed_run(*failure, options) : work();
}

int work_on(const RunOptions& options) {
  const StopSignals signals;
  std::optional<ParentWatch> watch;
  if (options.task.dies_with_parent) watch.emplace();
  std::optional<NoPartialFiles> no_partial_files;
  if (options.task.wanted) no_partial_files.emplace();
  int code = kExitDone;
  const auto failure = attempt({}, [&] {
    RunWatch run;
    run.process_ends = true;
    code = run_with_pipeline(options, signals.token(), run);
  });
  return failure ? end_of_failed_run(*failure, options) : code;
}

int execute(const RunOptions& options) {
  return in_sandbox(options, [&] { return work_on(options); });
}

int execute(const SplitOptions& options) {
  set_log_level(level_of(options.run.console));
  const Sandbox sandbox(options.run.sandbox, [&] { return needs_of(options); });
  const StopSignals signals;
  return split(options, signals.token());
}

/// Returns the exit code of a part that exists already, or that can't be made now; nullopt if it
/// must be made.
std::optional<int> code_without_work(const RunOptions& run) {
  const StopSignals signals;
  std::optional<int> code;
  const auto failure = attempt({}, [&] { code = code_of_finished_part(run, signals.token()); });
  if (failure) return end_of_failed_run(*failure, run);
  if (code) report_end_of_run(run, "skipped", *code, {});
  return code;
}

int execute(const PartOptions& options) {
  const RunOptions run = run_of_part(options);
  return in_sandbox(run, [&] {
    const std::optional<int> code = code_without_work(run);
    return code ? *code : work_on(run);
  });
}

int execute(const JoinOptions& options) { return execute(run_of_join(options)); }

int execute(const ReviewOptions& options) {
  set_log_level(level_of(options.hide.console));
  ReviewDoor door(options);
  const Sandbox sandbox(options.hide.sandbox, [&] { return needs_of(options); });
  const StopSignals signals;
  return review(options, door, signals.token());
}

int execute(const PlanOptions& options) {
  set_log_level(level_of(options.run.console));
  const Sandbox sandbox(options.run.sandbox, [&] { return needs_of(options.run, Doing::plan); });
  const StopSignals signals;
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
  if (!failure) return end_process(code);
  print_failure(failure->message);
  return failure->code;
}
