#include "app/run/input_worker.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "app/run/existing_output.h"
#include "app/run/file_hashes.h"
#include "app/run/input_job.h"
#include "app/run/resume.h"
#include "app/run/task.h"
#include "core/error.h"
#include "core/files/output_file.h"

namespace facepipe::app {

namespace fs = std::filesystem;

namespace {

/// Returns an observer's function that appends pictures to a list, which must outlive the observer.
std::function<void(video::PreviewPicture)> keep_in(std::vector<video::PreviewPicture>& pictures) {
  return [&pictures](video::PreviewPicture picture) { pictures.push_back(std::move(picture)); };
}

}  // namespace

/// Begins work on the input. Returns false if there is nothing to do for the input.
bool InputWorker::begin(InputOutcome& outcome) {
  const std::scoped_lock lock(shared_.files.mutex);
  if (outcome.status != InputStatus::waiting) return false;
  if (shared_.context.stop.stop_requested()) {
    outcome.code = code_of({kExitInterrupted, {}}, shared_.context.options);
    return false;
  }
  const SideOutputs& files = shared_.files.files;
  if (!shared_.context.options.video && files.any_frames() && files.all_given_up()) {
    outcome.code = code_of(*files.failure(),
                           shared_.context.options);  // the results could not be written anywhere
    return false;
  }
  if (const auto failure = attempt(outcome.planned.input, [&] { check_before_work(outcome); }))
    end_with_failure(outcome, *failure, shared_.context.options);
  return outcome.status == InputStatus::waiting;
}

/// Refuses or skips an input early, so that no model is loaded for it. Another run may be working
/// on the same output, or may have finished it meanwhile.
void InputWorker::check_before_work(InputOutcome& outcome) {
  const fs::path& output = outcome.planned.output;
  std::error_code error;
  if (output.empty() || outcome.keeps_video || is_stream_target(output) ||
      !fs::is_directory(folder_of(output), error))
    return;
  wait_for_lock(output, shared_.context.options, shared_.context.stop);
  const OutputLock lock(output);  // released when this function returns; the job takes its own lock
  check_existing_output(shared_.context.options, outcome);
  if (outcome.status == InputStatus::skipped)
    Resume(shared_.context.options, shared_.files.files).skip_if_done(outcome);
}

void InputWorker::work_alone(std::size_t index) {
  InputOutcome& outcome = shared_.outcomes[index];
  if (!begin(outcome)) {
    shared_.collector.end(index);
    shared_.progress.report_end(index, outcome);
    return;
  }
  static_cast<void>(shared_.device.ready());
  const RunProgress& progress = shared_.progress;
  ProgressReporter reporter(progress.kind(), progress.stream(),
                            progress.first_state(index, outcome));
  SideOutputs& files = shared_.files.files;
  pipeline::JobOptions job = job_options(shared_.context.options, outcome);
  Shown shown;
  pipeline::JobObserver observer = observer_of(
      outcome, !job.output.path.empty(), [&](const NamedFrame& frame) { files.write(frame); },
      shown);
  observer.progress = [&](const pipeline::Progress& now) { reporter.update(now); };
  if (wants_pictures(job)) observer.picture = keep_in(shown.pictures);
  if (const auto failure = run_job(outcome, job, observer)) {
    end_with_failure(outcome, *failure, shared_.context.options);
    files.forget();
  }
  outcome.record.damaged = shown.series.damaged();
  make_page(index, std::move(shown));
  shared_.times.add_single(outcome.result.times.wall_s - outcome.result.times.startup_s);
  shared_.collector.end(index);
  shared_.progress.end(reporter, outcome);
}

bool InputWorker::work_beside_others(std::size_t index, const pipeline::SharedLanes& lanes,
                                     ProgressOfSeveral& all) {
  InputOutcome& outcome = shared_.outcomes[index];
  if (!begin(outcome)) {
    shared_.collector.end(index);
    shared_.progress.report_end(index, outcome);
    return true;
  }
  SideOutputs::Spool spool = shared_.files.files.spool();
  const RunProgress& progress = shared_.progress;
  const bool json = progress.kind() == ProgressKind::json;
  ProgressReporter reporter(json ? ProgressKind::json : ProgressKind::none, progress.stream(),
                            progress.first_state(index, outcome));
  pipeline::JobOptions job = job_options(shared_.context.options, outcome);
  job.resources.shared = lanes;
  Shown shown;
  pipeline::JobObserver observer = observer_of(
      outcome, !job.output.path.empty(), [&](const NamedFrame& frame) { spool.write(frame); },
      shown);
  observer.progress = [&](const pipeline::Progress& now) {
    reporter.update(now);
    all.update(index, now);
  };
  if (wants_pictures(job)) observer.picture = keep_in(shown.pictures);
  const auto failure = run_job(outcome, job, observer);
  all.end(index);
  if (failure && failure->code == exit_code(ErrorKind::device)) {
    spdlog::warn("{}; the run tries this input again when it works on no other", failure->message);
    return false;
  }
  if (failure) end_with_failure(outcome, *failure, shared_.context.options);
  outcome.record.damaged = shown.series.damaged();
  make_page(index, std::move(shown));
  spool.put_away();
  shared_.collector.end(index, std::move(spool));
  shared_.progress.end(reporter, outcome);
  return true;
}

/// Runs the job and sets the outcome to its result. If the job ends without a result, returns the
/// failure.
std::optional<Failure> InputWorker::run_job(InputOutcome& outcome, pipeline::JobOptions& job,
                                            const pipeline::JobObserver& observer) {
  outcome.record.begun = utc_text(std::chrono::system_clock::now());
  note_decisions(outcome);
  return attempt(outcome.planned.input, [&] {
    pipeline::JobResult result =
        run_input_job(job, observer, shared_.device, shared_.context, outcome.record);
    if (const LogFacts& review = outcome.record.review; !review.fault.empty())
      result.notices.push_back(review.log + ": " + review.fault);
    if (shared_.context.options.task.wanted) expect_whole(result);
    end_with_result(outcome, std::move(result), shared_.context.options);
    note_output_hash(outcome);
  });
}

/// Notes the SHA-256 of the edit file, and what the log of its review says. This happens before the
/// job, because a review can go on meanwhile.
void InputWorker::note_decisions(InputOutcome& outcome) {
  const std::filesystem::path& edits = shared_.context.options.files.known_tracks;
  if (edits.empty()) return;
  InputRecord& record = outcome.record;
  record.edit_sha256 = hash_if_file(edits, shared_.context.stop);
  record.review = facts_of_log(edits, record.edit_sha256);
  if (!record.review.fault.empty()) spdlog::warn("{}: {}", record.review.log, record.review.fault);
}

/// Notes the SHA-256 of the output.
void InputWorker::note_output_hash(InputOutcome& outcome) {
  if (!shared_.context.options.files.any_report()) return;
  outcome.record.output_sha256 =
      hash_if_file(outcome.keeps_video ? outcome.planned.output : outcome.result.output,
                   shared_.context.stop, outcome.result.notices);
}

/// Returns whether the page shows pictures of this job's output. It shows none of what goes into a
/// pipe.
bool InputWorker::wants_pictures(const pipeline::JobOptions& job) const {
  return !shared_.context.options.files.page.empty() && !job.output.path.empty() &&
         !is_stream_target(job.output.path);
}

void InputWorker::make_page(std::size_t index, Shown shown) {
  if (shared_.context.options.task.wanted && is_repeated(shared_.outcomes[index].code)) return;
  shared_.failures.report(attempt({}, [&] {
    shared_.pages.end(index, shared_.outcomes[index], shared_.device.facts(), shown.series,
                      std::move(shown.pictures));
  }));
}

/// @param outcome, shown  must outlive the observer
pipeline::JobObserver InputWorker::observer_of(const InputOutcome& outcome, bool writes_video,
                                               WriteFrame write, Shown& shown) {
  pipeline::JobObserver observer;
  const bool reports = shared_.context.options.files.any_report();
  observer.frame = [this, &outcome, writes_video, write = std::move(write), reports, &shown,
                    start = Clock::now()](const FrameRecord& record) {
    if (reports) shown.series.add(record);
    const std::optional<RunFacts>& facts = shared_.device.facts();
    write({outcome.planned.name, record, start, shared_.files.of_several,
           facts ? facts->classes() : std::span<const detector::FoundClass>{}});
    if (!writes_video && shared_.files.files.any_frames()) check_that_something_is_written();
  };
  observer.times = [this](const pipeline::StageTimes& times) { shared_.times.add_stages(times); };
  return observer;
}

/// Throws Error(output) if the run has given up all files about frames. A job without video then
/// ends.
void InputWorker::check_that_something_is_written() {
  const std::scoped_lock lock(shared_.files.mutex);
  const SideOutputs& files = shared_.files.files;
  if (files.all_given_up()) throw Error(ErrorKind::output, files.failure()->message);
}

}  // namespace facepipe::app
