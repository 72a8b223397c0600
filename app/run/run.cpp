#include "app/run/run.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <vector>

#include "app/output/report.h"
#include "app/output/summary.h"
#include "app/run/collector.h"
#include "app/run/file_failures.h"
#include "app/run/input_outcome.h"
#include "app/run/plan_run.h"
#include "app/run/resume.h"
#include "app/run/run_device.h"
#include "app/run/run_pages.h"
#include "app/run/run_progress.h"
#include "app/run/run_times.h"
#include "app/run/schedule.h"
#include "app/run/task.h"
#include "app/standard_streams.h"

namespace facepipe::app {
namespace {

void warn_of_cosmetic_style(const RunOptions& options) {
  if (!options.job.hide || !options.video) return;
  const overlay::HideStyle style = options.job.hide->appearance.style;
  if (style == overlay::HideStyle::blur || style == overlay::HideStyle::mosaic)
    spdlog::warn(
        "{} is cosmetic: software can recognise people behind it, above all in a video, which "
        "shows each face many times (McPherson, Shokri, Shmatikov 2016); nobody can undo solid",
        style == overlay::HideStyle::blur ? "blur" : "mosaic");
}

/// Executes one run, from the list of inputs to the summary.
class Run {
 public:
  explicit Run(const RunContext& context)
      : context_(context),
        device_(context_),
        outcomes_(plan_run(context.options, context.parts)),
        shared_files_(wanted_side_files(context.options, outcomes_), context.options.existing,
                      context.stop, has_several_inputs(context.options, outcomes_)),
        pages_(context_.options, outcomes_, shared_files_.of_several, context_.stop),
        failures_(context_.options) {}

  int run();

 private:
  void open_only_input();
  void work(RunProgress& progress);
  void commit_frames();
  void commit_report();
  void commit_pages();
  void print_summary() const;
  [[nodiscard]] int code() const;
  [[nodiscard]] bool leaves_no_files() const;

  const RunContext context_;
  RunDevice device_;  // starts while the run is planned
  std::vector<InputOutcome> outcomes_;
  SharedFiles shared_files_;
  RunPages pages_;
  FileFailures failures_;
  RunTimes times_;
};

int Run::run() {
  Resume resume(context_.options, shared_files_.files);
  resume.skip_what_is_done(outcomes_);
  remove_locks_of_dead_runs(outcomes_);
  open_only_input();
  RunProgress progress(context_.options, outcomes_.size(), failures_);
  for (std::size_t i = 0; i < outcomes_.size(); ++i)
    if (outcomes_[i].status != InputStatus::waiting) progress.report_end(i, outcomes_[i]);
  if (!resume.nothing_is_left(outcomes_)) {
    warn_of_cosmetic_style(context_.options);
    work(progress);
    commit_frames();
    if (!leaves_no_files()) {
      commit_report();
      commit_pages();
    }
  }
  print_summary();
  return code();
}

/// Opens the input while the device starts. If it can't be opened, its job says so.
void Run::open_only_input() {
  const InputOutcome& only = outcomes_.front();
  if (!context_.parts.open_input || outcomes_.size() > 1 || only.status != InputStatus::waiting)
    return;
  const std::string& input = only.planned.input;
  static_cast<void>(attempt(input, [&] { context_.parts.open_input(input); }));
}

void Run::work(RunProgress& progress) {
  Collector collector(context_.options, device_.facts(), outcomes_, shared_files_, failures_);
  Schedule(
      {context_, outcomes_, shared_files_, device_, collector, progress, times_, pages_, failures_})
      .work_on_all();
}

void Run::commit_frames() {
  const bool resumed =
      context_.options.existing == ExistingOutput::skip && any_is(InputStatus::skipped, outcomes_);
  if (!resumed && std::ranges::none_of(outcomes_, &InputOutcome::has_result)) return;
  const bool part_of_one =
      !shared_files_.of_several && outcomes_.front().status == InputStatus::partial;
  const int code = exit_code(outcomes_);
  const bool partial = is_stop(code) || code == kExitTryAgain || part_of_one;
  for (const Failure& failure : shared_files_.files.commit_frames(partial))
    failures_.report(failure);
  // If a file was given up, its failure is already logged.
  if (const auto given_up = shared_files_.files.failure()) failures_.count(*given_up);
}

void Run::commit_report() {
  failures_.report(attempt({}, [&] {
    SideOutputs& files = shared_files_.files;
    files.commit_report(
        report_json(context_.options, device_.facts(), outcomes_, files.earlier_entries()));
  }));
}

void Run::commit_pages() {
  failures_.report(attempt({}, [&] {
    pages_.commit(outcomes_, device_.facts(), shared_files_.files.earlier_entries());
  }));
}

void Run::print_summary() const {
  if (context_.options.console.quiet) return;
  // The log already says why the only input failed.
  if (outcomes_.size() == 1 && outcomes_.front().status == InputStatus::failed) return;
  std::vector<std::filesystem::path> files = shared_files_.files.committed();
  if (!pages_.committed().empty()) files.push_back(pages_.committed());
  print_to_stderr(summary_text(
      device_.facts(), outcomes_, times_.stages(), times_.work(), files,
      context_.options.console.verbose ? StageDetail::work_and_waiting : StageDetail::work));
}

/// Returns the exit code of the inputs; if all inputs are done, the exit code of the files.
int Run::code() const {
  const int code = exit_code(outcomes_);
  if (failures_.code() == kExitTryAgain && !is_stop(code)) return kExitTryAgain;
  return code != kExitDone ? code : failures_.code();
}

/// Returns whether this is a task of one input that may be repeated. Another attempt without
/// --skip-existing would stumble over its files. A task of several inputs goes on with them.
bool Run::leaves_no_files() const {
  return context_.options.task.wanted && !shared_files_.of_several && is_repeated(code());
}

}  // namespace

int run(const RunOptions& options, const RunParts& parts, const std::stop_token& stop) {
  wait_for_side_files(options, stop);
  return Run({options, parts, stop}).run();
}

}  // namespace facepipe::app
