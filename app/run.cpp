#include "app/run.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "app/backends.h"
#include "app/input_outcome.h"
#include "app/inputs.h"
#include "app/model_path.h"
#include "app/progress.h"
#include "app/report.h"
#include "app/side_files.h"
#include "app/stage_times.h"
#include "app/standard_streams.h"
#include "app/summary.h"
#include "core/error.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;

/// One run, from the list of inputs to the summary.
class Run {
 public:
  Run(const RunOptions& options, const RunParts& parts, std::stop_token stop)
      : options_(options), parts_(parts), stop_(std::move(stop)) {}

  int all();

 private:
  void plan();
  void settle_existing(InputOutcome& outcome) const;
  [[nodiscard]] bool anything_to_do() const;
  void open_files();
  void load_model();
  void work(std::size_t index);
  JobResult job(const InputOutcome& outcome, ProgressTeller& progress);
  void check_progress(const ProgressTeller& progress);
  void make_directory(const fs::path& output) const;
  void finish(InputOutcome& outcome, JobResult result) const;
  void fail(InputOutcome& outcome, const Failure& failure) const;
  void keep_frames();
  void tell() const;
  void write_report();
  void count_failure(const std::optional<Failure>& failure);
  [[nodiscard]] int code() const;
  [[nodiscard]] ProgressKind progress_kind() const;

  const RunOptions& options_;
  const RunParts& parts_;
  const std::stop_token stop_;
  std::vector<InputOutcome> outcomes_;
  std::optional<SideOutputs> files_;
  std::optional<RunFacts> facts_;
  std::unique_ptr<Backend> backend_;
  StageTimes times_;
  int files_code_ = kExitDone;  ///< of a file beside the video that failed at the end
  bool progress_failed_ = false;
};

int Run::all() {
  plan();
  open_files();
  if (anything_to_do()) load_model();
  for (std::size_t i = 0; i < outcomes_.size(); ++i)
    if (outcomes_[i].status == InputStatus::waiting) work(i);
  keep_frames();
  write_report();
  tell();
  return code();
}

void Run::plan() {
  const auto format_of = [this](const std::string& input) {
    return parts_.output_format(input, options_.job.encoder.codec, stop_);
  };
  const std::vector<PlannedInput> planned =
      plan_inputs(options_.inputs, {options_.output, options_.video}, format_of);
  check_side_files(options_.files, planned);
  for (const PlannedInput& input : planned) {
    InputOutcome& outcome = outcomes_.emplace_back();
    outcome.planned = input;
    if (input.failure)
      fail(outcome, *input.failure);
    else if (const auto failure = attempt(input.input, [&] { settle_existing(outcome); }))
      fail(outcome, *failure);
  }
}

/// Decides about an output that is there already, before any work.
void Run::settle_existing(InputOutcome& outcome) const {
  const fs::path& output = outcome.planned.output;
  std::error_code error;
  const fs::file_status status = fs::symlink_status(output, error);
  if (output.empty() || !fs::exists(status)) return;
  if (fs::is_directory(status))
    throw Error(ErrorKind::output, output.string() + ": is a directory");
  if (options_.existing == ExistingOutput::skip) outcome.status = InputStatus::skipped;
  if (options_.existing == ExistingOutput::refuse)
    throw Error(ErrorKind::output, output.string() +
                                       ": exists already (--overwrite replaces it, "
                                       "--skip-existing leaves it)");
}

bool Run::anything_to_do() const {
  return std::any_of(outcomes_.begin(), outcomes_.end(), [](const InputOutcome& outcome) {
    return outcome.status == InputStatus::waiting;
  });
}

void Run::open_files() {
  // Where nothing is left to do, files of the run that did it stay as they are.
  std::error_code error;
  SideFiles files = anything_to_do() ? options_.files : SideFiles{{}, {}, options_.files.report};
  const bool overwrite = options_.existing == ExistingOutput::overwrite;
  if (!anything_to_do() && !overwrite && fs::exists(files.report, error)) files.report.clear();
  files_.emplace(files, overwrite);
}

void Run::load_model() {
  const DeviceRequest& request = options_.device;
  const bool cpu_named = !request.automatic && request.device.kind == DeviceKind::cpu;
  DetectorOptions detector = options_.detector;
  detector.model = find_model(detector.model, program_directory());
  const auto make = [this](const Device& device, const DetectorOptions& wanted) {
    if (device.kind == DeviceKind::cpu && options_.job.decoder == DecoderChoice::nvdec)
      throw Error(ErrorKind::usage, "--decoder cuda: the device is the cpu");
    return parts_.backend(device, wanted);
  };
  DeviceChoice choice =
      choose_device(request, cpu_named ? CudaProbe{} : parts_.probe_cuda(), detector, make);
  facts_ = {choice.device,
            choice.why,
            choice.backend->choice(),
            choice.backend->model_kind(),
            detector.model,
            choice.backend->model_sha256()};
  backend_ = std::move(choice.backend);
}

void Run::work(std::size_t index) {
  InputOutcome& outcome = outcomes_[index];
  if (stop_.stop_requested()) {
    outcome.code = kExitInterrupted;
    return;
  }
  ProgressState first;
  first.file = outcome.planned.name;
  first.input = index + 1;
  first.inputs = outcomes_.size();
  std::FILE* const out = options_.progress == ProgressStyle::json ? stdout : stderr;
  ProgressTeller progress(progress_kind(), out, first);
  const auto failure = attempt(outcome.planned.input, [&] {
    finish(outcome, job(outcome, progress));
    files_->keep();
  });
  if (failure) {
    fail(outcome, *failure);
    count_failure(attempt(outcome.planned.input, [this] { files_->forget(); }));
  }
  progress.end(std::string(to_string(outcome.status)));
  check_progress(progress);
}

/// Who reads JSON relies on it; told once.
void Run::check_progress(const ProgressTeller& progress) {
  const int code = progress.write_error();
  if (options_.progress != ProgressStyle::json || code == 0 || progress_failed_) return;
  progress_failed_ = true;
  count_failure(attempt({}, [&] { throw standard_output_error(code); }));
}

JobResult Run::job(const InputOutcome& outcome, ProgressTeller& progress) {
  const PlannedInput& planned = outcome.planned;
  JobOptions job = options_.job;
  job.input = planned.input;
  job.output = planned.output;
  job.wants_faces = !options_.files.detections.empty();
  job.wants_stage_times = !options_.files.latency.empty() || !options_.files.report.empty();
  make_directory(planned.output);
  const Clock::time_point start = Clock::now();
  JobObserver observer;
  observer.frame = [&, start](const FrameRecord& record) {
    times_.add(record.times);
    files_->write({planned.name, record, start});
  };
  observer.progress = [&](const Progress& now) { progress.update(now); };
  return parts_.job(job, *backend_, observer, stop_);
}

/// --output DIR/ is made with its folders; of --output FILE nothing is.
void Run::make_directory(const fs::path& output) const {
  if (output.empty() || options_.output.empty() || output == fs::path(options_.output)) return;
  std::error_code error;
  fs::create_directories(output.parent_path(), error);
  if (error)
    throw Error(ErrorKind::output,
                output.parent_path().string() + ": can't be made: " + error.message());
}

void Run::finish(InputOutcome& outcome, JobResult result) const {
  outcome.result = std::move(result);
  const FrameLedger& ledger = outcome.result.ledger;
  if (outcome.result.interrupted) {
    outcome.status = InputStatus::partial;
    outcome.code = kExitInterrupted;
  } else if (ledger.intact()) {
    outcome.status = InputStatus::done;
  } else {
    outcome.status = InputStatus::damaged;
    outcome.code = options_.tolerate_damage ? kExitDone : kExitDamaged;
    if (outcome.code != kExitDone)
      spdlog::error(
          "{}: {} frames lost, {} damaged{}; the output is kept", outcome.planned.input,
          ledger.lost, ledger.damaged,
          ledger.ended_early ? ", the file ends early (" + outcome.result.early_end + ")" : "");
  }
}

void Run::fail(InputOutcome& outcome, const Failure& failure) const {
  outcome.status = InputStatus::failed;
  outcome.code = failure.code;
  outcome.error = failure.message;
  spdlog::error("{}", failure.message);
}

void Run::keep_frames() {
  const bool any = std::any_of(outcomes_.begin(), outcomes_.end(),
                               [](const InputOutcome& outcome) { return outcome.has_result(); });
  if (!any) return;
  const bool partial = exit_code(outcomes_) == kExitInterrupted;
  count_failure(attempt({}, [&] { files_->commit_frames(partial); }));
}

void Run::write_report() {
  count_failure(
      attempt({}, [&] { files_->commit_report(report_json(options_, facts_, outcomes_)); }));
}

void Run::count_failure(const std::optional<Failure>& failure) {
  if (!failure) return;
  spdlog::error("{}", failure->message);
  if (files_code_ == kExitDone) files_code_ = failure->code;
}

void Run::tell() const {
  if (options_.quiet) return;
  // The log has just said why the only input failed.
  if (outcomes_.size() == 1 && outcomes_.front().status == InputStatus::failed) return;
  const std::string text = summary_text(facts_, outcomes_, times_.table(), files_->committed());
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int Run::code() const {
  const int code = exit_code(outcomes_);
  return code != kExitDone ? code : files_code_;
}

ProgressKind Run::progress_kind() const {
  switch (options_.progress) {
    case ProgressStyle::json:
      return ProgressKind::json;
    case ProgressStyle::none:
      return ProgressKind::none;
    case ProgressStyle::automatic:
      break;
  }
  const bool bar = !options_.quiet && isatty(STDERR_FILENO) == 1;
  return bar ? ProgressKind::bar : ProgressKind::none;
}

}  // namespace

int run(const RunOptions& options, const RunParts& parts, const std::stop_token& stop) {
  return Run(options, parts, stop).all();
}

}  // namespace facepipe
