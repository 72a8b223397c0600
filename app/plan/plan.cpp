#include "app/plan/plan.h"

#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/output/side_files.h"
#include "app/plan/device_memory.h"
#include "app/plan/input_plan.h"
#include "app/plan/output_folder.h"
#include "app/plan/trials.h"
#include "app/run/input_job.h"
#include "app/run/plan_run.h"
#include "app/run/run_device.h"
#include "app/standard_streams.h"
#include "core/add_once.h"
#include "core/error.h"
#include "core/machine.h"
#include "core/timing.h"
#include "video/read/input_access.h"

namespace facepipe::app {
namespace {

// All trials together read for this time; then the frames that were read are finished.
constexpr double kTrials_s = 8;
// With many kinds of inputs, each kind gets at least this time.
constexpr double kLeastTrials_s = 1.5;

/// Refuses inputs that give their bytes only once, because the run would then miss these bytes.
void refuse_pipes(const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs)
    if (video::is_fifo(input) || input == video::kStandardInput)
      throw Error(ErrorKind::usage,
                  (input == video::kStandardInput ? "-" : input) +
                      ": plan reads parts of its inputs several times, which a pipe doesn't allow; "
                      "give a file");
}

MachineLoad machine_load() {
  std::array<double, 1> averages{};
  MachineLoad load;
  if (getloadavg(averages.data(), 1) == 1) load.average = averages[0];
  load.processors = usable_processors();
  return load;
}

std::int64_t most_memory() {
  constexpr std::int64_t kKibibyte = 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * kKibibyte;
}

/// Silences warnings, because the plan lists them, and each trial would repeat them.
class QuietTrials {
 public:
  QuietTrials() { set_log_level(spdlog::level::err); }
  ~QuietTrials() { set_log_level(before_); }
  QuietTrials(const QuietTrials&) = delete;
  QuietTrials& operator=(const QuietTrials&) = delete;

 private:
  const spdlog::level::level_enum before_ = spdlog::default_logger_raw()->level();
};

/// Jobs of the same kind need the same time for a frame.
std::string kind_of(const InputPlan& input) {
  const pipeline::JobPreview& preview = input.preview;
  std::string kind;
  for (const std::string& part :
       {preview.codecs.decoder, preview.codecs.video_codec, preview.codecs.encoder,
        preview.codecs.container, std::to_string(preview.size.width),
        std::to_string(preview.size.height), std::to_string(preview.lanes.count),
        std::to_string(input.job.hide ? input.job.hide->turned_too : 0)})
    kind += part + ' ';
  return kind;
}

class Planner {
 public:
  explicit Planner(RunContext context) : context_(std::move(context)), device_(context_) {}

  RunPlan make();

 private:
  void plan_input(InputPlan& input);
  void try_all();
  void try_kind(std::vector<InputPlan*>& inputs, double limit_s);

  const RunContext context_;
  RunDevice device_;
  RunPlan plan_;
};

/// Does for an input what its run does before the first frame.
void Planner::plan_input(InputPlan& input) {
  const Clock::time_point begin = Clock::now();
  const auto failure = attempt(input.outcome.planned.input, [&] {
    check_output_folder(context_.options, input.outcome);
    input.job = job_options(context_.options, input.outcome);
    const JobPreparation preparation = prepare_job(input.job, device_, context_);
    input.preparation_s = in_seconds(Clock::now() - begin);
    input.preview = pipeline::preview_job(input.job, device_.ready(), context_.stop);
    if (!preparation.turned.empty()) input.preview.notices.push_back(preparation.turned);
  });
  if (context_.stop.stop_requested()) throw Stopped();
  if (failure) end_with_failure(input.outcome, *failure, context_.options);
}

/// Tries the longest of these inputs, and estimates all of them by it.
void Planner::try_kind(std::vector<InputPlan*>& inputs, double limit_s) {
  std::ranges::stable_sort(inputs, std::greater(),
                           [](const InputPlan* input) { return input->preview.frames; });
  InputPlan& tried = *inputs.front();
  const auto failure = attempt(tried.outcome.planned.input, [&] {
    TriedJob job = try_input(tried.job, tried.preview, device_.ready(), context_, limit_s);
    tried.trials = std::move(job.trials);
    // Headers often state the number of frames only roughly.
    const Trial& first = tried.trials.front();
    if (first.whole) tried.preview.frames = first.frames;
    for (std::string& notice : job.notices) add_once(tried.preview.notices, std::move(notice));
  });
  if (context_.stop.stop_requested()) throw Stopped();
  if (failure) {
    end_with_failure(tried.outcome, *failure, context_.options);
    inputs.erase(inputs.begin());
    if (!inputs.empty()) try_kind(inputs, limit_s);
    return;
  }
  for (InputPlan* const input : inputs) {
    const Work work{input->preview.frames, input->preparation_s,
                    !input->preview.codecs.encoder.empty(), input->preview.copied_bytes};
    const bool first = input == &tried;
    if (!first) input->tried_as = tried.outcome.planned.name;
    input->estimate = estimated(tried.trials, work, first ? Detector::is_made : Detector::exists);
  }
}

void Planner::try_all() {
  const QuietTrials quiet;
  for (InputPlan& input : plan_.inputs)
    if (input.is_planned()) plan_input(input);
  std::map<std::string, std::vector<InputPlan*>> kinds;
  for (InputPlan& input : plan_.inputs)
    if (input.is_planned()) kinds[kind_of(input)].push_back(&input);
  for (auto& [kind, inputs] : kinds)
    try_kind(inputs, std::max(kLeastTrials_s, kTrials_s / static_cast<double>(kinds.size())));
}

RunPlan Planner::make() {
  for (InputOutcome& outcome : plan_run(context_.options, context_.parts))
    plan_.inputs.emplace_back().outcome = std::move(outcome);
  check_existing_files(context_.options.files, context_.options.existing);
  check_side_folders(context_.options.files);
  plan_.machine = machine_load();
  if (std::ranges::none_of(plan_.inputs, &InputPlan::is_planned)) return std::move(plan_);
  const Clock::time_point begin = Clock::now();
  static_cast<void>(device_.ready());
  plan_.load_s = in_seconds(Clock::now() - begin);
  {
    const DeviceMemoryWatch watch(device_.ready());
    try_all();
    plan_.device_memory_bytes = watch.most();
  }
  plan_.facts = device_.facts();  // only now, because the jobs' edit files can add classes
  plan_.memory_bytes = most_memory();
  return std::move(plan_);
}

int exit_code_of(const RunPlan& plan) {
  for (const InputPlan& input : plan.inputs)
    if (input.outcome.code != kExitDone) return input.outcome.code;
  return kExitDone;
}

}  // namespace

int plan(const PlanOptions& options, const RunParts& parts, const std::stop_token& stop) {
  refuse_pipes(options.run.inputs);
  const RunPlan made = Planner({options.run, parts, stop}).make();
  print(options.json ? plan_json(made, options.run) : plan_text(made));
  return exit_code_of(made);
}

}  // namespace facepipe::app
