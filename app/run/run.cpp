#include "app/run/run.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/backends.h"
#include "app/model_path.h"
#include "app/output/progress.h"
#include "app/output/report.h"
#include "app/output/side_files.h"
#include "app/output/summary.h"
#include "app/output/text.h"
#include "app/run/input_outcome.h"
#include "app/run/input_queue.h"
#include "app/run/inputs.h"
#include "app/run/known_tracks.h"
#include "app/standard_streams.h"
#include "core/error.h"
#include "core/files/file_identity.h"
#include "core/files/output_file.h"
#include "core/slots.h"
#include "detector/cascade/model/cascade.h"
#include "pipeline/lanes/runner.h"
#include "video/read/input_access.h"
#include "video/write/container.h"
#include "video/write/encoder.h"
#include "video/write/image_sequence.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

/// Returns an input's size; none where it is no regular file, which may go on for ever.
std::optional<std::uintmax_t> bytes_of(const std::string& input) {
  std::error_code error;
  if (video::is_url(input) || !fs::is_regular_file(input, error)) return std::nullopt;
  const std::uintmax_t bytes = fs::file_size(input, error);
  return error ? std::nullopt : std::optional(bytes);
}

/// Makes an observer that counts the frames of two passes, of which `before` are done.
pipeline::JobObserver in_pass(const pipeline::JobObserver& observer, std::int64_t before) {
  pipeline::JobObserver pass = observer;
  if (observer.progress)
    pass.progress = [tell = observer.progress, before](pipeline::Progress now) {
      now.expected_frames = before > 0 ? 2 * before : 2 * now.expected_frames;
      now.frames += before;
      tell(now);
    };
  return pass;
}

/// Adds the copies kind by kind: both lists name each kind, or neither does.
void add_copies(std::vector<pipeline::CopySum>& to, const std::vector<pipeline::CopySum>& more) {
  for (pipeline::CopySum& sum : to) {
    const auto its = std::ranges::find(more, sum.kind, &pipeline::CopySum::kind);
    if (its == more.end()) continue;
    sum.calls += its->calls;
    sum.bytes += its->bytes;
  }
}

/// Returns the result of the second pass, with what the first alone knows.
pipeline::JobResult of_both_passes(pipeline::JobResult first, pipeline::JobResult second) {
  second.tracks = std::move(first.tracks);
  second.searched = first.searched;
  second.faces = first.faces;
  second.candidates = first.candidates;
  second.candidates_ignored = first.candidates_ignored;
  second.network_size = first.network_size;
  second.tiling = first.tiling;
  add_copies(second.copies, first.copies);
  second.wall_s += first.wall_s;
  second.startup_s += first.startup_s;
  second.cpu_s += first.cpu_s;
  const double worked = second.wall_s - second.startup_s;
  if (worked > 0) second.fps = static_cast<double>(second.ledger.decoded) / worked;
  return second;
}

/// One run, from the list of inputs to the summary.
class Run {
 public:
  Run(const RunOptions& options, const RunParts& parts, std::stop_token stop)
      : options_(options), parts_(parts), stop_(std::move(stop)) {}

  int all();

 private:
  /// An input that is over; and its frames, until those of all before are in the files.
  struct Settled {
    bool done = false;
    std::optional<SideOutputs::Spool> frames;
  };

  void plan();
  void check_that_tracks_are_of_one(std::size_t inputs) const;
  [[nodiscard]] fs::path existing_output(const fs::path& output) const;
  void settle_existing(InputOutcome& outcome) const;
  void skip_damaged(InputOutcome& outcome, const std::string& damage) const;
  [[nodiscard]] bool skips() const { return options_.existing == ExistingOutput::skip; }
  [[nodiscard]] bool any(InputStatus status) const;
  void open_files();
  void settle_earlier_frames();
  void settle_earlier_frames_of(InputOutcome& outcome);
  [[nodiscard]] bool nothing_to_write() const;
  void tell_cosmetic_style() const;
  [[nodiscard]] std::string only_on_cpu() const;
  [[nodiscard]] DeviceRequest wanted_device(std::string& why) const;
  void load_model();
  void take_facts(const detector::DetectorOrigin& origin, const fs::path& model);
  static void check_motion(const DeviceChoice& choice, bool looks);
  void check_cascade() const;
  void prepare(InputOutcome& outcome);
  void forget_dead_runs() const;
  void work_on_all();
  [[nodiscard]] std::vector<std::size_t> beside_others() const;
  [[nodiscard]] bool may_run_beside_others(const InputOutcome& outcome) const;
  void work_at_once(const std::vector<std::size_t>& inputs, int lanes);
  [[nodiscard]] bool begin(InputOutcome& outcome);
  void work(std::size_t index);
  [[nodiscard]] bool work_beside(std::size_t index, const pipeline::SharedLanes& lanes,
                                 ProgressOfSeveral& all);
  [[nodiscard]] pipeline::JobResult run_job(pipeline::JobOptions& job,
                                            const pipeline::JobObserver& observer);
  [[nodiscard]] std::string look_for_turned_faces(pipeline::JobOptions& job) const;
  [[nodiscard]] pipeline::JobResult run_twice(pipeline::JobOptions& job,
                                              const pipeline::JobObserver& observer) const;
  [[nodiscard]] ProgressState progress_of(std::size_t index) const;
  void end(std::size_t index, std::optional<SideOutputs::Spool> frames, ProgressTeller& progress);
  void settle(std::size_t index, std::optional<SideOutputs::Spool> frames);
  [[nodiscard]] pipeline::JobOptions job_options(const InputOutcome& outcome) const;
  [[nodiscard]] pipeline::JobObserver observer_of(const InputOutcome& outcome,
                                                  const pipeline::JobOptions& job,
                                                  std::function<void(const NamedFrame&)> write);
  void check_that_something_is_written();
  void check_progress(const ProgressTeller& progress);
  void make_directory(const fs::path& output) const;
  void finish(InputOutcome& outcome, pipeline::JobResult result) const;
  void finish_frames(const InputOutcome& outcome);
  void fail(InputOutcome& outcome, const Failure& failure) const;
  void keep_frames();
  void tell() const;
  void write_report();
  void count_failure(const std::optional<Failure>& failure);
  [[nodiscard]] int code() const;
  [[nodiscard]] ProgressKind progress_kind() const;
  [[nodiscard]] std::FILE* progress_file() const {
    return options_.progress == ProgressStyle::json ? stdout : stderr;
  }

  const RunOptions& options_;
  const RunParts& parts_;
  const std::stop_token stop_;
  std::vector<InputOutcome> outcomes_;
  std::optional<SideOutputs> files_;
  std::optional<RunFacts> facts_;
  std::unique_ptr<pipeline::Backend> backend_;
  std::mutex mutex_;  // guards what follows, and files_, where several inputs are worked on
  pipeline::StageTimes times_;
  std::vector<Settled> settled_;  // by input
  std::size_t next_ = 0;          // input to be settled
  double worked_s_ = 0;           // without the start-up of those that were alone
  bool at_once_ = false;          // several inputs were worked on
  int files_code_ = kExitDone;    ///< of a file beside the video that failed
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
  tell_cosmetic_style();
  work_on_all();
  keep_frames();
  write_report();
  tell();
  return code();
}

void Run::plan() {
  const auto extension_of = [this](const std::string& input) {
    const std::string& format = options_.job.format;
    if (!format.empty()) return video::extension_for(video::muxer_for(input, format), input);
    return parts_.output_extension(input, options_.job.encoder.codec);
  };
  const std::vector<PlannedInput> planned = plan_inputs(
      options_.inputs,
      {options_.output, options_.video, options_.job.hide ? kHiddenSuffix : kDrawnSuffix},
      extension_of);
  check_side_files(options_.files, planned);
  check_that_tracks_are_of_one(planned.size());
  for (const PlannedInput& input : planned) {
    InputOutcome& outcome = outcomes_.emplace_back();
    outcome.planned = input;
    if (input.failure)
      fail(outcome, *input.failure);
    else if (const auto failure = attempt(input.input, [&] { settle_existing(outcome); }))
      fail(outcome, *failure);
  }
}

void Run::check_that_tracks_are_of_one(std::size_t inputs) const {
  const char* const option = !options_.files.tracks.empty()         ? "--write-tracks"
                             : !options_.files.known_tracks.empty() ? "--tracks"
                                                                    : nullptr;
  if (option != nullptr && inputs != 1)
    throw Error(ErrorKind::usage,
                std::string(option) + ": is a file of one input, not of " + std::to_string(inputs));
}

/// An output, or a file that is one of its pictures where it is to be numbered pictures: only who
/// names a file himself can mean that.
fs::path Run::existing_output(const fs::path& output) const {
  const bool named = !output.empty() && output == fs::path(options_.output);
  return named && video::is_sequence_name(output) ? video::existing_picture(output) : output;
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
  if (!skips()) return;
  outcome.status = InputStatus::skipped;
  if (const auto damage = OutputLock::damage_of(outcome.planned.output))
    skip_damaged(outcome, *damage);
}

/// Notes the damage of an output that is skipped: that the work is done doesn't make it whole.
void Run::skip_damaged(InputOutcome& outcome, const std::string& damage) const {
  if (options_.tolerate_damage) return;
  outcome.code = kExitDamaged;
  spdlog::warn("{}: skipped; an earlier run had found it damaged: {}", outcome.planned.input,
               damage);
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
  SideFiles files = options_.files;
  if (!frames)
    for (fs::path* const file : {&files.detections, &files.latency, &files.tracks}) file->clear();
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
    outcome.code = kExitDone;  // it is worked on again
    outcome.keeps_video = true;
    spdlog::warn(
        "{}: {} is there, but the files asked for hold no complete frames of it: done "
        "again, without touching the video",
        planned.input, planned.output.string());
  }
  if (outcome.status != InputStatus::waiting || options_.video || !has_frames) return;
  outcome.status = InputStatus::skipped;
  if (files_->reported_damaged(planned.name)) skip_damaged(outcome, "its report says so");
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

void Run::tell_cosmetic_style() const {
  if (!options_.job.hide || !options_.video) return;
  const overlay::HideStyle style = options_.job.hide->look.style;
  if (style == overlay::HideStyle::blur || style == overlay::HideStyle::mosaic)
    spdlog::warn(
        "{} is cosmetic: software names people behind it, more so in a video, which shows each "
        "face many times (McPherson, Shokri, Shmatikov 2016); solid can't be undone",
        style == overlay::HideStyle::blur ? "blur" : "mosaic");
}

/// Names what was asked for that CUDA can't do; empty where it can do all.
std::string Run::only_on_cpu() const {
  if (options_.job.every > 1) return "--every";
  return {};
}

/// Returns the device that was asked for, or the CPU where nothing else can do it and nobody named
/// another; `why` then says so.
DeviceRequest Run::wanted_device(std::string& why) const {
  const std::string cpu_only = only_on_cpu();
  if (cpu_only.empty()) return options_.device;
  const bool cuda_named = options_.devices || (!options_.device.automatic &&
                                               options_.device.device.kind == DeviceKind::cuda);
  if (cuda_named) throw Error(ErrorKind::usage, cpu_only + " works on the CPU alone so far");
  if (options_.device.automatic) why = "cpu: " + cpu_only + " works on the CPU alone so far";
  return {false, Device{}};
}

/// Throws Error(usage) where a job wants motion looked for on the device, and that can't do it.
void Run::check_motion(const DeviceChoice& choice, bool looks) {
  const DeviceKind kind = choice.devices.front().kind;
  if (kind == DeviceKind::cpu)
    throw Error(ErrorKind::usage, "--motion device: the device is the cpu");
  if (!looks) return;
  const detector::EngineChoice& engine = choice.backend->origin().choice();
  if (detector::works_in_host_memory(kind, engine.library))
    throw Error(ErrorKind::usage, "--motion device: with engine " + std::string(engine.name()) +
                                      " pictures are in host memory");
}

/// Chooses the device and loads the model; it loads none where it is known what there is to hide.
void Run::load_model() {
  const bool looks = options_.files.known_tracks.empty();
  detector::DetectorOptions detector = options_.detector;
  if (looks) detector.model = find_model(detector.model, program_directory());
  std::string why;
  const DeviceRequest request = wanted_device(why);
  const bool cpu_named = !request.automatic && request.device.kind == DeviceKind::cpu;
  const CudaProbe cuda = cpu_named ? CudaProbe{} : parts_.probe_cuda();
  const auto make = [&](const Device& device, const detector::DetectorOptions& wanted) {
    if (device.kind == DeviceKind::cpu && options_.job.decoder == video::DecoderChoice::nvdec)
      throw Error(ErrorKind::usage, "--decoder cuda: the device is the cpu");
    return looks ? parts_.backend(device, wanted) : parts_.renderer(device);
  };
  DeviceChoice choice = options_.devices ? choose_devices(*options_.devices, cuda, detector, make)
                                         : choose_device(request, cuda, detector, make);
  if (!why.empty()) choice.why = why;
  if (options_.motion_on_device) check_motion(choice, looks);
  facts_ = {choice.devices, choice.why, {}, {}, {}, {}, {}};
  if (looks) take_facts(choice.backend->origin(), detector.model);
  backend_ = std::move(choice.backend);
}

/// Takes the facts of the detectors, whose model may lack what was asked for.
void Run::take_facts(const detector::DetectorOrigin& origin, const fs::path& model) {
  if (options_.job.overlay.landmarks && !origin.finds_landmarks())
    throw Error(ErrorKind::usage, "--draw landmarks: model " + model.string() + " finds none");
  if (origin.choice().library == detector::Library::cascade) check_cascade();
  if (origin.choice().library == detector::Library::acf && options_.job.hide)
    spdlog::warn(
        "channel features find far fewer faces than the default model: those that they miss stay "
        "visible");
  facts_->engine = origin.choice();
  facts_->model_kind = origin.model_kind();
  facts_->model = model;
  facts_->model_sha256 = origin.model_sha256();
  facts_->class_name = origin.class_name();
}

/// Refuses options that a cascade can't follow, and warns of those that it follows badly.
void Run::check_cascade() const {
  if (options_.job.hide)
    spdlog::warn(
        "a cascade finds far fewer faces than the default model: those that it misses stay "
        "visible");
  if (options_.job.nms.rule != nms::NmsRule::groups) return;
  const float score = options_.job.face_score.value_or(options_.detector.score_threshold);
  if (score != detector::DetectorOptions{}.score_threshold && !options_.job.hide)
    throw Error(ErrorKind::usage,
                "--score says nothing of a cascade's groups: --nms-neighbours does");
  if (options_.job.face_score)
    throw Error(ErrorKind::usage,
                std::string(options_.job.follow ? "--draw ids" : "--every") +
                    " and --nms-rule opencv-groups exclude each other with a cascade");
}

/// Refuses what it can before a model is loaded for nothing.
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

/// Whether the input's output, if it has one, doesn't keep the processors busy by itself.
bool Run::may_run_beside_others(const InputOutcome& outcome) const {
  const fs::path& output = outcome.planned.output;
  if (output.empty() || outcome.keeps_video) return true;
  bool one_picture = false;
  const auto unknown = attempt({}, [&] {  // which its own job tells
    one_picture = video::is_image_format(video::muxer_for(output, options_.job.format));
  });
  return !unknown && (one_picture || video::asks_for_one_by_one(options_.job.encoder));
}

std::vector<std::size_t> Run::beside_others() const {
  std::vector<std::size_t> inputs;
  for (std::size_t i = 0; i < outcomes_.size(); ++i)
    if (outcomes_[i].status == InputStatus::waiting && may_run_beside_others(outcomes_[i]))
      inputs.push_back(i);
  return inputs;
}

void Run::work_on_all() {
  settled_.resize(outcomes_.size());
  for (std::size_t i = 0; i < outcomes_.size(); ++i)
    if (outcomes_[i].status != InputStatus::waiting) settle(i, std::nullopt);
  const std::vector<std::size_t> beside = beside_others();
  if (beside.size() > 1) {
    if (!backend_) load_model();
    const int lanes = options_.job.lanes > 0 ? options_.job.lanes : backend_->inputs_at_once();
    if (lanes > 1) work_at_once(beside, lanes);
  }
  // What is left: inputs that can't run beside others, or failed there.
  for (std::size_t i = 0; i < outcomes_.size(); ++i)
    if (!settled_[i].done) work(i);
}

/// Each lane works on one input after the other. One that finds no more helps with the others'.
void Run::work_at_once(const std::vector<std::size_t>& inputs, int lanes) {
  const Clock::time_point begin = Clock::now();
  ProgressTeller teller(
      progress_kind() == ProgressKind::bar ? ProgressKind::bar : ProgressKind::none, stderr,
      {{}, 0, inputs.size(), {}, 0, {}});
  ProgressOfSeveral progress(teller);
  std::vector<QueuedInput> queued;
  for (const std::size_t index : inputs)
    queued.push_back({index, bytes_of(outcomes_[index].planned.input)});
  InputQueue queue(std::move(queued), lanes);
  Slots shared(lanes);
  pipeline::Runner runner;
  for (int i = 0; i < lanes && std::cmp_less(i, inputs.size()); ++i) {
    const auto own = std::make_shared<Slots::Permit>(shared.acquire({}));
    runner.add("input", [&, own] {
      while (!runner.failed().stop_requested()) {
        const auto turn = queue.next();
        if (!turn) break;
        const pipeline::SharedLanes its{shared, lanes, own->number(), turn->may_grow};
        // A lane that has failed takes nothing more, and nobody else gets it.
        if (!work_beside(turn->index, its, progress)) return;
      }
      own->release();
    });
  }
  runner.run();
  worked_s_ += in_seconds(Clock::now() - begin);
  at_once_ = true;
}

/// Whether there is anything to do for the input.
bool Run::begin(InputOutcome& outcome) {
  const std::scoped_lock lock(mutex_);
  if (outcome.status != InputStatus::waiting) return false;
  if (stop_.stop_requested()) {
    outcome.code = kExitInterrupted;
    return false;
  }
  if (!options_.video && files_->any_frames() && files_->all_given_up()) {
    outcome.code = files_->failure()->code;  // there is nothing left to work for
    return false;
  }
  if (const auto failure = attempt(outcome.planned.input, [&] { prepare(outcome); }))
    fail(outcome, *failure);
  return outcome.status == InputStatus::waiting;
}

/// Works on one input alone, when all inputs before are settled: its frames go to the files at
/// once.
void Run::work(std::size_t index) {
  InputOutcome& outcome = outcomes_[index];
  if (begin(outcome)) {
    if (!backend_) load_model();
    ProgressTeller progress(progress_kind(), progress_file(), progress_of(index));
    pipeline::JobOptions job = job_options(outcome);
    pipeline::JobObserver observer =
        observer_of(outcome, job, [this](const NamedFrame& frame) { files_->write(frame); });
    observer.progress = [&](const pipeline::Progress& now) { progress.update(now); };
    if (const auto failure =
            attempt(outcome.planned.input, [&] { finish(outcome, run_job(job, observer)); })) {
      fail(outcome, *failure);
      files_->forget();
    }
    worked_s_ += outcome.result.wall_s - outcome.result.startup_s;
    end(index, std::nullopt, progress);
  } else {
    settle(index, std::nullopt);
  }
}

/// Returns false where the device has failed. The input isn't settled then: there may have been too
/// little memory beside the others.
bool Run::work_beside(std::size_t index, const pipeline::SharedLanes& lanes,
                      ProgressOfSeveral& all) {
  InputOutcome& outcome = outcomes_[index];
  if (!begin(outcome)) {
    settle(index, std::nullopt);
    return true;
  }
  SideOutputs::Spool spool = files_->spool();
  const bool json = progress_kind() == ProgressKind::json;
  ProgressTeller progress(json ? ProgressKind::json : ProgressKind::none, progress_file(),
                          progress_of(index));
  pipeline::JobOptions job = job_options(outcome);
  job.shared = lanes;
  pipeline::JobObserver observer =
      observer_of(outcome, job, [&](const NamedFrame& frame) { spool.write(frame); });
  observer.progress = [&](const pipeline::Progress& now) {
    progress.update(now);
    all.update(index, now);
  };
  const auto failure =
      attempt(outcome.planned.input, [&] { finish(outcome, run_job(job, observer)); });
  all.end(index);
  if (failure && failure->code == exit_code(ErrorKind::device)) {
    spdlog::warn("{}; it is tried again when no other input is worked on", failure->message);
    return false;
  }
  if (failure) fail(outcome, *failure);
  spool.put_away();
  end(index, std::move(spool), progress);
  return true;
}

/// Ends an input that was worked on, alone or beside others.
void Run::end(std::size_t index, std::optional<SideOutputs::Spool> frames,
              ProgressTeller& progress) {
  settle(index, std::move(frames));
  const InputStatus status = outcomes_[index].status;
  const bool whole = status == InputStatus::done || status == InputStatus::damaged;
  progress.end(std::string(to_string(status)),
               whole ? ProgressEnd::of_all_frames : ProgressEnd::before_the_last);
  check_progress(progress);
}

ProgressState Run::progress_of(std::size_t index) const {
  ProgressState first;
  first.file = outcomes_[index].planned.name;
  first.input = index + 1;
  first.inputs = outcomes_.size();
  return first;
}

/// The input is over, whatever became of it. Files get frames and entries in the order of inputs.
void Run::settle(std::size_t index, std::optional<SideOutputs::Spool> frames) {
  const std::scoped_lock lock(mutex_);
  settled_[index] = {true, std::move(frames)};
  for (; next_ < settled_.size() && settled_[next_].done; ++next_) {
    const InputOutcome& outcome = outcomes_[next_];
    if (const auto spool = std::exchange(settled_[next_].frames, std::nullopt);
        spool && outcome.has_result())
      files_->write(*spool);
    if (outcome.has_result()) finish_frames(outcome);
    if (outcome.status == InputStatus::skipped) files_->take(outcome.planned.name);
  }
}

/// Who reads JSON relies on it; told once.
void Run::check_progress(const ProgressTeller& progress) {
  const std::scoped_lock lock(mutex_);
  const int code = progress.write_error();
  if (options_.progress != ProgressStyle::json || code == 0 || progress_failed_) return;
  progress_failed_ = true;
  const Error error = standard_output_error(code);
  count_failure(Failure{exit_code(error.kind()), error.what()});
}

/// Frames of an input that was interrupted stay where it is the only one.
void Run::finish_frames(const InputOutcome& outcome) {
  if (outcome.status != InputStatus::partial) {
    if (outcome.result.tracks)
      count_failure(attempt({}, [&] { files_->commit_tracks(*outcome.result.tracks); }));
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

pipeline::JobOptions Run::job_options(const InputOutcome& outcome) const {
  const PlannedInput& planned = outcome.planned;
  pipeline::JobOptions job = options_.job;
  job.input = planned.input;
  if (!outcome.keeps_video) job.output = planned.output;
  if (options_.existing == ExistingOutput::overwrite) job.existing = ExistingTarget::replace;
  job.wants_faces = !options_.files.detections.empty();
  job.wants_stage_times = !options_.files.latency.empty() || !options_.files.report.empty();
  return job;
}

/// `job` outlives it.
pipeline::JobObserver Run::observer_of(const InputOutcome& outcome, const pipeline::JobOptions& job,
                                       std::function<void(const NamedFrame&)> write) {
  pipeline::JobObserver observer;
  observer.frame = [this, &outcome, &job, write = std::move(write),
                    start = Clock::now()](const FrameRecord& record) {
    const bool knows = facts_ && !facts_->class_name.empty();
    write({outcome.planned.name, record, start, several_, knows ? facts_->class_name : "face"});
    if (job.output.empty() && files_->any_frames()) check_that_something_is_written();
  };
  observer.times = [this](const pipeline::StageTimes& times) {
    const std::scoped_lock lock(mutex_);
    times_.merge(times);
  };
  return observer;
}

/// Without a video there is nothing else to work for.
void Run::check_that_something_is_written() {
  const std::scoped_lock lock(mutex_);
  if (files_->all_given_up()) throw Error(ErrorKind::output, files_->failure()->message);
}

/// Runs the job first without video, to find all tracks, then to hide them. Files of frames get
/// what the first pass tells.
pipeline::JobResult Run::run_twice(pipeline::JobOptions& job,
                                   const pipeline::JobObserver& observer) const {
  if (!bytes_of(job.input))
    throw Error(ErrorKind::usage,
                job.input + ": is no regular file, and --two-pass reads an input twice");
  pipeline::JobOptions first = job;
  first.output.clear();
  first.hide->wants_tracks = true;
  first.hide->tracks.look_ahead_s = std::numeric_limits<double>::infinity();
  pipeline::JobResult found = parts_.job(first, *backend_, in_pass(observer, 0), stop_);
  if (found.interrupted || found.failure || !found.tracks) return found;
  job.hide->known = as_known_tracks(*found.tracks, job.input);
  job.hide->wants_tracks = false;
  pipeline::JobObserver second = in_pass(observer, found.ledger.decoded);
  second.frame = nullptr;
  return of_both_passes(std::move(found), parts_.job(job, *backend_, second, stop_));
}

/// Returns what a user should know of turned faces; empty where most faces are upright. Else `job`
/// looks for those that are turned, too. Throws Error(input) where it can't look for them, or where
/// nothing may be converted.
std::string Run::look_for_turned_faces(pipeline::JobOptions& job) const {
  if (!job.hide || job.hide->known || !parts_.faces_by_turn || !facts_) return {};
  detector::DetectorOptions detector = options_.detector;
  detector.model = facts_->model;
  const std::optional<detector::FacesByTurn> found = parts_.faces_by_turn(job, detector, stop_);
  const std::optional<int> turn = found ? detector::turn_of_faces(*found) : std::nullopt;
  if (!turn) return {};
  const detector::TurnInWords words = detector::turn_in_words(*turn);
  const std::string why = "most faces are turned in the pixels: in some pictures " +
                          std::to_string((*found)[0]) + " were found as they are, and " +
                          std::to_string((*found)[static_cast<std::size_t>(*turn)]) + " turned " +
                          words.angle;
  const std::string help = "; ffmpeg -i INPUT " + words.filter + " OUTPUT turns a video upright";
  if (options_.job.strict) throw Error(ErrorKind::input, job.input + ": --strict: " + why + help);
  if (backend_->device().kind == DeviceKind::cuda)
    throw Error(ErrorKind::input,
                job.input + ": " + why + ", which only --device cpu looks for" + help);
  job.hide->turned_too = *turn;
  return why + "; they are looked for so, too, which takes twice the time, and yet may be missed" +
         help;
}

/// `job` gets the tracks that it is to hide.
pipeline::JobResult Run::run_job(pipeline::JobOptions& job, const pipeline::JobObserver& observer) {
  const bool goes_by_file =
      options_.two_pass || !options_.files.tracks.empty() || !options_.files.known_tracks.empty();
  if (goes_by_file) job.same_input = identity_of(job.input);
  std::string sha256;
  if (!options_.files.tracks.empty()) sha256 = sha256_of_input(job.input, "--write-tracks", stop_);
  if (!options_.files.known_tracks.empty())
    job.hide->known =
        read_known_tracks(options_.files.known_tracks, job.input, job.hide->look, stop_);
  const std::string turned = look_for_turned_faces(job);
  if (!turned.empty()) spdlog::warn("{}: {}", job.input, turned);
  make_directory(job.output);
  pipeline::JobResult result =
      options_.two_pass ? run_twice(job, observer) : parts_.job(job, *backend_, observer, stop_);
  if (!turned.empty()) result.notices.push_back(turned);
  if (result.tracks) result.tracks->input.sha256 = sha256;
  return result;
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

void Run::finish(InputOutcome& outcome, pipeline::JobResult result) const {
  outcome.result = std::move(result);
  const auto failure = attempt(outcome.planned.input, [&] {
    if (outcome.result.failure) throw Error(*outcome.result.failure);
  });
  if (failure) {
    outcome.status = InputStatus::partial;
    outcome.code = failure->code;
    outcome.error = failure->message;
    const std::string kept = outcome.result.output.string();
    spdlog::error("{}{}", outcome.error, kept.empty() ? "" : "; what was made is kept as " + kept);
  } else if (outcome.result.interrupted) {
    outcome.status = InputStatus::partial;
    outcome.code = kExitInterrupted;
  } else if (outcome.result.intact()) {
    outcome.status = InputStatus::done;
    // A person is to look at it before anybody else does.
    if (options_.video && outcome.result.turned_faces > 0) outcome.code = kExitLeak;
  } else {
    outcome.status = InputStatus::damaged;
    outcome.code = options_.tolerate_damage ? kExitDone : kExitDamaged;
    if (outcome.code != kExitDone)
      spdlog::error("{}: {}; the output is kept", outcome.planned.input, outcome.result.damage());
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
  app::tell(summary_text(facts_, outcomes_, times_, {worked_s_, at_once_}, files_->committed(),
                         options_.verbose ? StageDetail::work_and_waiting : StageDetail::work));
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

}  // namespace facepipe::app
