#include "app/parts/run_in_parts.h"

#include <spdlog/spdlog.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "app/parts/part_plan.h"
#include "app/parts/part_runs.h"
#include "app/parts/split.h"
#include "core/error.h"
#include "core/files/output_file.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

void add_times(pipeline::JobTimes& to, const pipeline::JobTimes& more) {
  to.wall_s += more.wall_s;
  to.startup_s += more.startup_s;
  to.cpu_s += more.cpu_s;
}

/// The folder of the part files of one run. The destructor removes it if it is empty.
class PartsFolder {
 public:
  PartsFolder(const fs::path& output, const NamedPlan& plan) {
    constexpr std::size_t kShown = 16;
    path_ = output.empty()
                ? fs::temp_directory_path() / ("facepipe-" + plan.sha256.substr(0, kShown))
                : output;
    path_ += ".parts";
    make_folder(path_);
  }
  ~PartsFolder() {
    std::error_code error;
    fs::remove(path_, error);
  }
  PartsFolder(const PartsFolder&) = delete;
  PartsFolder& operator=(const PartsFolder&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

  /// Says that the folder stays, unless it is empty.
  void print_what_stays() const {
    std::error_code error;
    if (!fs::is_empty(path_, error))
      spdlog::info("{}: has the parts that are finished; the same command goes on with them",
                   path_.string());
  }

  /// Removes the part files.
  void remove(const NamedPlan& plan) const {
    std::error_code error;
    for (std::size_t i = 0; i < plan.plan.parts.size(); ++i)
      fs::remove(path_ / part_file_name(plan, i), error);
    for (const LongScene& scene : long_scenes_of(plan.plan))
      fs::remove(path_ / scene_file_name(plan, scene), error);
  }

 private:
  fs::path path_;
};

/// Runs the jobs that make part files, one after the other.
class PartFiles {
 public:
  PartFiles(const pipeline::JobObserver& observer, const RunJob& run)
      : observer_(observer), run_(run) {}

  /// Makes a part file, unless it is complete. Returns the result only if the run was stopped.
  std::optional<pipeline::JobResult> make(const pipeline::JobOptions& part) {
    if (is_finished(*part.part)) return std::nullopt;
    pipeline::JobResult result = run_(part, following());
    frames_ += result.ledger.decoded;
    add_times(times_, result.times);
    if (!result.interrupted) return std::nullopt;
    result.output.clear();
    return result;
  }

  /// Runs the job that joins the files.
  pipeline::JobResult join(const pipeline::JobOptions& job, const pipeline::JobObserver& observer) {
    pipeline::JobResult result = run_(job, observer);
    add_times(result.times, times_);
    const double worked = result.times.wall_s - result.times.startup_s;
    if (worked > 0) result.times.fps = static_cast<double>(result.ledger.decoded) / worked;
    return result;
  }

  /// Returns an observer that counts the frames of the next job behind those of the earlier jobs.
  [[nodiscard]] pipeline::JobObserver following() const {
    pipeline::JobObserver next;
    if (observer_.progress)
      next.progress = [update = observer_.progress, before = frames_](pipeline::Progress now) {
        now.frames += before;
        update(now);
      };
    return next;
  }

 private:
  const pipeline::JobObserver& observer_;
  const RunJob& run_;
  std::int64_t frames_ = 0;
  pipeline::JobTimes times_;
};

/// Runs the jobs of one input in parts.
class PartedRun {
 public:
  PartedRun(const pipeline::JobOptions& job, const pipeline::JobObserver& observer,
            const RunJob& run, NamedPlan plan)
      : job_(job),
        observer_(observer),
        files_(observer, run),
        plan_(std::move(plan)),
        folder_(job.output.path, plan_) {}

  pipeline::JobResult all() {
    for (const pipeline::JobOptions& part : jobs())
      if (std::optional<pipeline::JobResult> early = files_.make(part)) {
        folder_.print_what_stays();
        return std::move(*early);
      }
    pipeline::JobObserver of_join = observer_;
    of_join.progress = nullptr;  // all frames were counted
    pipeline::JobResult result = files_.join(job_of_join(job_, plan_, folder_.path()), of_join);
    if (!result.interrupted && !result.failure) folder_.remove(plan_);
    return result;
  }

 private:
  /// Returns the jobs that make part files.
  [[nodiscard]] std::vector<pipeline::JobOptions> jobs() const {
    std::vector<pipeline::JobOptions> all;
    for (std::size_t i = 0; i < plan_.plan.parts.size(); ++i)
      all.push_back(job_of_part(job_, plan_, i, folder_.path()));
    for (const LongScene& scene : long_scenes_of(plan_.plan))
      all.push_back(job_of_scene(job_of_join(job_, plan_, folder_.path()),
                                 scene_of(plan_, scene, folder_.path())));
    return all;
  }

  const pipeline::JobOptions& job_;
  const pipeline::JobObserver& observer_;
  PartFiles files_;
  const NamedPlan plan_;
  const PartsFolder folder_;
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

pipeline::JobResult join_with_scenes(const RunOptions& options, const pipeline::JobOptions& job,
                                     const pipeline::JobObserver& observer, const RunJob& run) {
  PartFiles files(observer, run);
  for (const pipeline::PartJob& scene : options.long_scenes)
    if (std::optional<pipeline::JobResult> early = files.make(job_of_scene(job, scene)))
      return std::move(*early);
  pipeline::JobObserver of_join = observer;
  of_join.progress = files.following().progress;
  return files.join(job, of_join);
}

}  // namespace facepipe::app
