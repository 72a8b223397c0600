#include "app/run.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "app/backends.h"
#include "app/input_outcome.h"
#include "app/inputs.h"
#include "app/model_path.h"
#include "app/output/progress.h"
#include "app/output/report.h"
#include "app/output/side_files.h"
#include "app/output/summary.h"
#include "app/output/text.h"
#include "app/standard_streams.h"
#include "core/error.h"
#include "core/output_file.h"
#include "video/container.h"
#include "video/image_sequence.h"

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
  [[nodiscard]] fs::path existing_output(const fs::path& output) const;
  void settle_existing(InputOutcome& outcome) const;
  [[nodiscard]] bool skips() const { return options_.existing == ExistingOutput::skip; }
  [[nodiscard]] bool any(InputStatus status) const;
  void open_files();
  void settle_earlier_frames();
  void settle_earlier_frames_of(InputOutcome& outcome);
  [[nodiscard]] bool nothing_to_write() const;
  void load_model();
  void prepare(InputOutcome& outcome);
  void forget_dead_runs() const;
  void work(std::size_t index);
  void work_with_progress(std::size_t index);
  JobResult job(const InputOutcome& outcome, ProgressTeller& progress);
  void check_progress(const ProgressTeller& progress);
  void make_directory(const fs::path& output) const;
  void finish(InputOutcome& outcome, JobResult result) const;
  void finish_frames(const InputOutcome& outcome);
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
  int files_code_ = kExitDone;  ///< of a file beside the video that failed
  bool several_ = false;  ///< inputs: each one's frames are in the files completely, or not at all
  bool progress_failed_ = false;
};

int Run::all() {
  plan();
  open_files();
  settle_earlier_frames();
  forget_dead_runs();
  if (nothing_to_write()) {
    tell();
    return code();
  }
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    if (outcomes_[i].status == InputStatus::waiting) work(i);
    if (outcomes_[i].status == InputStatus::skipped) files_->take(outcomes_[i].planned.name);
  }
  keep_frames();
  write_report();
  tell();
  return code();
}

void Run::plan() {
  const auto extension_of = [this](const std::string& input) {
    const std::string& format = options_.job.format;
    if (!format.empty()) return extension_for(muxer_for(input, format), input);
    return parts_.output_extension(input, options_.job.encoder.codec);
  };
  const std::vector<PlannedInput> planned =
      plan_inputs(options_.inputs, {options_.output, options_.video}, extension_of);
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

/// An output, or a file that is one of its pictures where it is to be numbered pictures: only who
/// names a file himself can mean that.
fs::path Run::existing_output(const fs::path& output) const {
  const bool named = !output.empty() && output == fs::path(options_.output);
  return named && is_sequence_name(output) ? existing_picture(output) : output;
}

/// Decides about an output that is there already, before any work.
void Run::settle_existing(InputOutcome& outcome) const {
  const fs::path output = existing_output(outcome.planned.output);
  std::error_code error;
  if (output.empty() || is_stream_target(output) || !fs::exists(fs::symlink_status(output, error)))
    return;
  const std::string reason = reason_against_target(output);
  if (options_.existing == ExistingOutput::refuse && !fs::is_directory(output, error))
    throw Error(ErrorKind::output, output.string() +
                                       ": exists already (--overwrite replaces it, "
                                       "--skip-existing leaves it)");
  if (!reason.empty()) throw Error(ErrorKind::output, output.string() + ": " + reason);
  if (skips()) outcome.status = InputStatus::skipped;
}

bool Run::any(InputStatus status) const {
  return std::ranges::find(outcomes_, status, &InputOutcome::status) != outcomes_.end();
}

void Run::open_files() {
  std::error_code error;
  several_ = outcomes_.size() > 1 ||
             (!options_.inputs.empty() && fs::is_directory(options_.inputs.front(), error));
  // Where every input has failed there are no frames to write.
  const bool frames = any(InputStatus::waiting) || skips();
  const SideFiles files = frames ? options_.files : SideFiles{{}, {}, options_.files.report};
  files_.emplace(files, options_.existing, stop_);
}

/// An input is skipped if an earlier run has done all of it: its video and its frames in the files.
void Run::settle_earlier_frames() {
  if (!skips()) return;
  std::map<std::string, int> names;
  // By the names as files have them: what is no UTF-8 is the same there.
  for (const InputOutcome& outcome : outcomes_) ++names[json_string(outcome.planned.name)];
  for (const InputOutcome& outcome : outcomes_)
    if (names[json_string(outcome.planned.name)] > 1) files_->drop(outcome.planned.name);
  for (InputOutcome& outcome : outcomes_) settle_earlier_frames_of(outcome);
}

void Run::settle_earlier_frames_of(InputOutcome& outcome) {
  const PlannedInput& planned = outcome.planned;
  const bool has_frames = files_->has_frames(planned.name);
  if (outcome.status == InputStatus::skipped && !has_frames) {
    outcome.status = InputStatus::waiting;
    outcome.keeps_video = true;
    spdlog::warn(
        "{}: {} is there, but the files asked for hold no complete frames of it: done "
        "again, without touching the video",
        planned.input, planned.output.string());
  }
  if (outcome.status == InputStatus::waiting && !options_.video && has_frames)
    outcome.status = InputStatus::skipped;
}

/// A run that was killed just after it had finished a video has left its lock beside it.
void Run::forget_dead_runs() const {
  for (const InputOutcome& outcome : outcomes_) {
    const bool finished = outcome.status == InputStatus::skipped || outcome.keeps_video;
    const fs::path& output = outcome.planned.output;
    std::error_code error;
    if (!finished || output.empty() || !fs::exists(OutputLock::record_path(output), error))
      continue;
    static_cast<void>(attempt({}, [&] { const OutputLock lock(output); }));  // goes with this one
  }
}

/// Where nothing is left to do, files of the run that did it stay as they are.
bool Run::nothing_to_write() const {
  return skips() && !any(InputStatus::failed) && !any(InputStatus::waiting) &&
         files_->frames_change_nothing() &&
         (options_.files.report.empty() || files_->has_finished_report());
}

void Run::load_model() {
  const DeviceRequest& request = options_.device;
  const bool cpu_named = !request.automatic && request.device.kind == DeviceKind::cpu;
  const CudaProbe cuda = cpu_named ? CudaProbe{} : parts_.probe_cuda();
  DetectorOptions detector = options_.detector;
  detector.model = find_model(detector.model, program_directory());
  const auto make = [this](const Device& device, const DetectorOptions& wanted) {
    if (device.kind == DeviceKind::cpu && options_.job.decoder == DecoderChoice::nvdec)
      throw Error(ErrorKind::usage, "--decoder cuda: the device is the cpu");
    return parts_.backend(device, wanted);
  };
  DeviceChoice choice = options_.devices ? choose_devices(*options_.devices, cuda, detector, make)
                                         : choose_device(request, cuda, detector, make);
  const DetectorOrigin& origin = choice.backend->origin();
  facts_ = {choice.devices,      choice.why,     origin.choice(),
            origin.model_kind(), detector.model, origin.model_sha256()};
  backend_ = std::move(choice.backend);
}

/// What can be refused before a model is loaded for nothing.
void Run::prepare(InputOutcome& outcome) {
  const fs::path& output = outcome.planned.output;
  std::error_code error;
  if (output.empty() || outcome.keeps_video || is_stream_target(output) ||
      !fs::is_directory(folder_of(output), error))
    return;
  const OutputLock lock(output);  // the job takes its own
  settle_existing(outcome);       // another run may have finished it meanwhile
  if (outcome.status == InputStatus::skipped) settle_earlier_frames_of(outcome);
}

void Run::work(std::size_t index) {
  InputOutcome& outcome = outcomes_[index];
  if (stop_.stop_requested()) {
    outcome.code = kExitInterrupted;
    return;
  }
  if (!options_.video && files_->any_frames() && files_->all_given_up()) {
    outcome.code = files_->failure()->code;  // there is nothing left to work for
    return;
  }
  if (const auto failure = attempt(outcome.planned.input, [&] { prepare(outcome); })) {
    fail(outcome, *failure);
    return;
  }
  if (outcome.status != InputStatus::waiting) return;
  if (!backend_) load_model();
  work_with_progress(index);
}

void Run::work_with_progress(std::size_t index) {
  InputOutcome& outcome = outcomes_[index];
  ProgressState first;
  first.file = outcome.planned.name;
  first.input = index + 1;
  first.inputs = outcomes_.size();
  std::FILE* const out = options_.progress == ProgressStyle::json ? stdout : stderr;
  ProgressTeller progress(progress_kind(), out, first);
  if (const auto failure =
          attempt(outcome.planned.input, [&] { finish(outcome, job(outcome, progress)); })) {
    fail(outcome, *failure);
    files_->forget();
  }
  if (outcome.has_result()) finish_frames(outcome);
  progress.end(std::string(to_string(outcome.status)));
  check_progress(progress);
}

/// Who reads JSON relies on it; told once.
void Run::check_progress(const ProgressTeller& progress) {
  const int code = progress.write_error();
  if (options_.progress != ProgressStyle::json || code == 0 || progress_failed_) return;
  progress_failed_ = true;
  const Error error = standard_output_error(code);
  count_failure(Failure{exit_code(error.kind()), error.what()});
}

/// Frames of an input that was interrupted stay where it is the only one.
void Run::finish_frames(const InputOutcome& outcome) {
  if (outcome.status != InputStatus::partial) {
    // In this order: who has the frames of an input is taken to have its entry, too.
    count_failure(attempt({}, [&] {
      files_->add_entry(outcome.planned.name, entry_json(options_, facts_, outcome));
    }));
    files_->keep(outcome.planned.name);
  } else if (several_) {
    files_->forget();
  } else {
    files_->keep_unfinished(outcome.planned.name);
  }
}

JobResult Run::job(const InputOutcome& outcome, ProgressTeller& progress) {
  const PlannedInput& planned = outcome.planned;
  JobOptions job = options_.job;
  job.input = planned.input;
  if (!outcome.keeps_video) job.output = planned.output;
  if (options_.existing == ExistingOutput::overwrite) job.existing = ExistingTarget::replace;
  job.wants_faces = !options_.files.detections.empty();
  job.wants_stage_times = !options_.files.latency.empty() || !options_.files.report.empty();
  make_directory(job.output);
  const Clock::time_point start = Clock::now();
  JobObserver observer;
  observer.frame = [&, start](const FrameRecord& record) {
    files_->write({planned.name, record, start, several_});
    // Without a video there is nothing else to work for.
    if (job.output.empty() && files_->any_frames() && files_->all_given_up())
      throw Error(ErrorKind::output, files_->failure()->message);
  };
  observer.times = [this](const StageTimes& times) { times_.merge(times); };
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
  } else if (!outcome.result.output_error.empty()) {
    outcome.status = InputStatus::partial;
    outcome.code = exit_code(ErrorKind::output);
    outcome.error = outcome.result.output_error;
    spdlog::error("{}; what was made is kept as {}", outcome.error, outcome.result.output.string());
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
  const bool resumed = skips() && any(InputStatus::skipped);
  if (!resumed && std::ranges::none_of(outcomes_, &InputOutcome::has_result)) return;
  const bool part_of_one = !several_ && outcomes_.front().status == InputStatus::partial;
  const bool partial = exit_code(outcomes_) == kExitInterrupted || part_of_one;
  for (const Failure& failure : files_->commit_frames(partial)) count_failure(failure);
  // That was told when it happened.
  if (const auto given_up = files_->failure(); given_up && files_code_ == kExitDone)
    files_code_ = given_up->code;
}

void Run::write_report() {
  count_failure(attempt({}, [&] {
    files_->commit_report(report_json(options_, facts_, outcomes_, files_->earlier_entries()));
  }));
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
  const std::string text = summary_text(facts_, outcomes_, times_, files_->committed());
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int Run::code() const {
  const int code = exit_code(outcomes_);
  return code != kExitDone ? code : files_code_;
}

ProgressKind Run::progress_kind() const {
  if (options_.progress == ProgressStyle::json) return ProgressKind::json;
  const bool bar = options_.progress == ProgressStyle::automatic && !options_.quiet &&
                   isatty(STDERR_FILENO) == 1;
  return bar ? ProgressKind::bar : ProgressKind::none;
}

}  // namespace

int run(const RunOptions& options, const RunParts& parts, const std::stop_token& stop) {
  return Run(options, parts, stop).all();
}

}  // namespace facepipe
