#include "app/parts/run_in_parts.h"

#include <spdlog/spdlog.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "app/parts/part_plan.h"
#include "app/parts/part_runs.h"
#include "app/parts/split.h"
#include "core/error.h"
#include "core/files/output_file.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

/// Returns an observer that counts the frames of all parts. `before` frames were done in earlier
/// parts.
pipeline::JobObserver of_one_part(const pipeline::JobObserver& observer, std::int64_t before) {
  pipeline::JobObserver part;
  if (observer.progress)
    part.progress = [update = observer.progress, before](pipeline::Progress now) {
      now.frames += before;
      update(now);
    };
  return part;
}

void add_times(pipeline::JobTimes& to, const pipeline::JobTimes& more) {
  to.wall_s += more.wall_s;
  to.startup_s += more.startup_s;
  to.cpu_s += more.cpu_s;
}

/// The folder of the part files of one run.
class PartsFolder {
 public:
  PartsFolder(const fs::path& output, const NamedPlan& plan) {
    constexpr std::size_t kShown = 16;
    path_ = output.empty()
                ? fs::temp_directory_path() / ("facepipe-" + plan.sha256.substr(0, kShown))
                : output;
    path_ += ".parts";
    std::error_code error;
    fs::create_directories(path_, error);
    if (error)
      throw Error(ErrorKind::output, path_.string() + ": can't be made: " + error.message());
  }

  [[nodiscard]] const fs::path& path() const { return path_; }

  /// Removes the folder if it is empty, or else says that it stays.
  void print_what_stays() const {
    std::error_code error;
    if (!fs::remove(path_, error))
      spdlog::info("{}: has the parts that are finished; the same command goes on with them",
                   path_.string());
  }

  /// Removes the part files, and the folder if it is then empty.
  void remove(const NamedPlan& plan) const {
    std::error_code error;
    for (std::size_t i = 0; i < plan.plan.parts.size(); ++i)
      fs::remove(path_ / part_file_name(plan, i), error);
    fs::remove(path_, error);
  }

 private:
  fs::path path_;
};

/// Runs the jobs of one input in parts.
class PartedRun {
 public:
  PartedRun(const pipeline::JobOptions& job, const pipeline::JobObserver& observer,
            const RunJob& run, NamedPlan plan)
      : job_(job),
        observer_(observer),
        run_(run),
        plan_(std::move(plan)),
        folder_(job.output.path, plan_) {}

  pipeline::JobResult all() {
    for (std::size_t i = 0; i < plan_.plan.parts.size(); ++i)
      if (std::optional<pipeline::JobResult> early = make(i)) {
        folder_.print_what_stays();
        return std::move(*early);
      }
    return joined();
  }

 private:
  /// Makes a part, unless it exists. Returns the result only if the run was stopped.
  std::optional<pipeline::JobResult> make(std::size_t number) {
    const pipeline::JobOptions part = job_of_part(job_, plan_, number, folder_.path());
    if (is_finished(*part.part)) return std::nullopt;
    pipeline::JobResult result = run_(part, of_one_part(observer_, frames_));
    frames_ += result.ledger.decoded;
    add_times(times_, result.times);
    if (!result.interrupted) return std::nullopt;
    result.output.clear();
    return result;
  }

  pipeline::JobResult joined() {
    pipeline::JobObserver of_join = observer_;
    of_join.progress = nullptr;  // all frames were counted
    pipeline::JobResult result = run_(job_of_join(job_, plan_, folder_.path()), of_join);
    add_times(result.times, times_);
    const double worked = result.times.wall_s - result.times.startup_s;
    if (worked > 0) result.times.fps = static_cast<double>(result.ledger.decoded) / worked;
    if (!result.interrupted && !result.failure) folder_.remove(plan_);
    return result;
  }

  const pipeline::JobOptions& job_;
  const pipeline::JobObserver& observer_;
  const RunJob& run_;
  const NamedPlan plan_;
  const PartsFolder folder_;
  std::int64_t frames_ = 0;
  pipeline::JobTimes times_;
};

}  // namespace

pipeline::JobResult run_in_parts(const RunOptions& options, const pipeline::JobOptions& job,
                                 const pipeline::JobObserver& observer, const RunJob& run,
                                 const std::stop_token& stop) {
  const fs::path& output = job.output.path;
  if (!output.empty() && is_stream_target(output))
    throw Error(ErrorKind::usage, output.string() + ": --parts needs a file as its output");
  return PartedRun(job, observer, run, named(plan_parts(options, job.input.name, output, stop)))
      .all();
}

}  // namespace facepipe::app
