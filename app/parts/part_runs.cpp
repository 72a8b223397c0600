#include "app/parts/part_runs.h"

#include <spdlog/spdlog.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "app/failure.h"
#include "app/run/task.h"
#include "core/error.h"
#include "core/files/output_file.h"
#include "pipeline/parts/part_file.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void clash(const std::string& text) { throw Error(ErrorKind::usage, text); }

/// Gives a model that is named by a relative path the folder in which the plan was made. Other
/// names, such as that of the default model, stay.
void find_in(const std::string& folder, fs::path& file) {
  std::error_code error;
  const fs::path there = folder / file;
  if (!file.empty() && fs::exists(there, error)) file = there;
}

/// Throws Error(input) unless parts whose faces are followed, and only these, begin with scenes.
void check_scenes(const RunOptions& run, const PartPlan& plan) {
  const bool follows = run.job.hide && run.files.known_tracks.empty();
  for (std::size_t i = 0; i + 1 < plan.parts.size(); ++i)
    if (plan.parts[i].next.has_value() != follows)
      throw Error(ErrorKind::input, "the plan has parts that " +
                                        std::string(follows ? "don't begin" : "begin") +
                                        " with a scene; split the input again");
}

/// Sets the segments that a part works on: its own, and behind its cut the packets up to the scene
/// with which the next part begins.
void set_segments(const PartPlan& plan, std::size_t number, pipeline::PartJob& part) {
  const std::vector<std::int64_t> all = cuts_of(plan);
  if (number > 0) part.cuts.push_back(all[number - 1]);
  part.number = part.cuts.size();
  if (number < all.size()) part.cuts.push_back(all[number]);
  const PlannedPart& planned = plan.parts.at(number);
  part.hash = planned.hash;
  part.next = planned.next;
  if (part.next) part.cuts.push_back(all[number] + part.next->packets);
  if (number > 0 && plan.parts[number - 1].next)
    part.left_out = plan.parts[number - 1].next->frames;
  part.begins_input = number == 0;
  part.ends_input = number == all.size();
}

/// Returns the options with which the plan was made.
RunOptions options_of(const PartPlan& plan) {
  const Command command = parse_command(plan.arguments);
  const auto* const split = std::get_if<SplitOptions>(&command);
  if (split == nullptr) throw Error(ErrorKind::input, "the plan isn't that of a split");
  RunOptions run = split->run;
  run.inputs = {plan.input};
  run.parts = 0;
  find_in(plan.folder, run.detector.model);
  find_in(plan.folder, run.detector.card);
  for (fs::path& model : run.detector.more_models) find_in(plan.folder, model);
  find_in(plan.folder, run.files.known_tracks);
  check_scenes(run, plan);
  return run;
}

struct IndexVariable {
  const char* name;
  const char* first;  ///< the variable that holds the lowest index; nullptr: the lowest is 0
};

constexpr std::array kIndexVariables{IndexVariable{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN"},
                                     IndexVariable{"JOB_COMPLETION_INDEX", nullptr},
                                     IndexVariable{"AWS_BATCH_JOB_ARRAY_INDEX", nullptr},
                                     IndexVariable{"PMIX_RANK", nullptr},
                                     IndexVariable{"OMPI_COMM_WORLD_RANK", nullptr},
                                     IndexVariable{"PMI_RANK", nullptr}};

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = status == std::errc() && end == text.data() + text.size();
  return whole && number >= 0 && number <= kMostParts ? std::optional(number) : std::nullopt;
}

/// Returns the value of an environment variable; nullopt if it isn't set.
std::optional<int> number_of_variable(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  const std::optional<int> number = number_in(value);
  if (!number) clash(std::string(name) + "=" + value + ": is no number of a part");
  return number;
}

int index_in_array() {
  std::optional<int> index;
  std::string by;
  for (const IndexVariable& variable : kIndexVariables) {
    std::optional<int> its = number_of_variable(variable.name);
    if (!its) continue;
    if (variable.first != nullptr) *its -= number_of_variable(variable.first).value_or(0);
    if (index && *index != *its)
      clash("auto: " + by + " and " + variable.name + " name different parts");
    index = its;
    by = variable.name;
  }
  if (!index)
    clash("auto: no environment variable of a scheduler says which part to make; give its number");
  return *index;
}

}  // namespace

int part_number_of(const std::string& text) {
  if (text == "auto") return index_in_array() + 1;
  const std::optional<int> number = number_in(text);
  if (!number) clash(text + ": is no number of a part; parts have numbers from 1 on, or auto");
  return *number;
}

pipeline::JobOptions job_of_part(pipeline::JobOptions job, const NamedPlan& plan,
                                 std::size_t number, const fs::path& folder) {
  pipeline::PartJob& part = job.part.emplace();
  part.file = folder / part_file_name(plan, number);
  part.key = part_key(plan, number);
  set_segments(plan.plan, number, part);
  if (job.hide) {
    job.hide->wants_tracks = false;
    job.hide->collects_tracks = !job.hide->known;  // join may write them
  }
  job.resources.encoder_threads = plan.plan.encoder_threads;
  job.wants_faces = true;  // join may write them
  job.wants_stage_times = true;
  return job;
}

pipeline::JobOptions job_of_join(pipeline::JobOptions job, const NamedPlan& plan,
                                 const fs::path& folder) {
  pipeline::JoinJob& join = job.join.emplace();
  for (std::size_t i = 0; i < plan.plan.parts.size(); ++i)
    join.parts.push_back({folder / part_file_name(plan, i), part_key(plan, i),
                          plan.plan.parts[i].packets, plan.plan.parts[i].hash});
  job.resources.encoder_threads = plan.plan.encoder_threads;
  return job;
}

namespace {

/// Refuses files that the parts of the plan know nothing for.
void check_files_of_join(const RunOptions& run) {
  const bool hides = run.job.hide.has_value();
  const bool edited = !run.files.known_tracks.empty();
  if (!run.files.tracks.empty() && (!hides || edited))
    clash(std::string("--write-tracks: the parts ") +
          (hides ? "were hidden by an edit file" : "don't hide faces"));
  if (!run.files.detections.empty() && edited)
    clash("--detections: the parts were hidden by an edit file, and nothing was detected");
}

}  // namespace

RunOptions run_of_part(const PartOptions& options) {
  const NamedPlan plan = read_part_plan(options.plan);
  const int number = part_number_of(options.number);
  if (number < 1 || std::cmp_greater(number, plan.plan.parts.size()))
    clash(options.plan.string() + ": has no part " + std::to_string(number) + ", but parts 1 to " +
          std::to_string(plan.plan.parts.size()));
  RunOptions run = options_of(plan.plan);
  if (options.threads > 0) run.detector.threads = run.job.resources.threads = options.threads;
  run.console = options.console;
  run.sandbox = options.sandbox;
  run.task = options.task;
  run.video = false;  // only the part file is written
  run.job =
      job_of_part(std::move(run.job), plan, static_cast<std::size_t>(number) - 1, options.folder);
  run.job.output.path = plan.plan.output;
  return run;
}

RunOptions run_of_join(const JoinOptions& options) {
  const NamedPlan plan = read_part_plan(options.plan);
  RunOptions run = options_of(plan.plan);
  const RunOptions& asked = options.run;
  if (!run.video && !asked.output.empty()) clash("--output: the plan is one without a video");
  run.output = asked.output;
  run.existing = asked.existing;
  const FaceColumns columns = run.files.face_fields;
  const fs::path known_tracks = run.files.known_tracks;
  run.files = asked.files;
  run.files.face_fields = columns;
  run.files.known_tracks = known_tracks;
  check_files_of_join(run);
  run.tolerate_damage = asked.tolerate_damage;
  run.task = asked.task;
  run.console = asked.console;
  run.sandbox = asked.sandbox;
  run.command_line = asked.command_line;
  if (run.job.hide) run.job.hide->wants_tracks = !run.files.tracks.empty();
  run.job = job_of_join(std::move(run.job), plan, options.folder);
  return run;
}

bool is_finished(const pipeline::PartJob& part) {
  std::error_code error;
  if (!fs::exists(part.file, error)) return false;
  bool complete = false;
  const auto failure = attempt({}, [&] {
    pipeline::PartReader reader(part.file);
    if (reader.facts().key != part.key) return;
    while (reader.next()) {
    }
    complete = true;
  });
  if (failure) spdlog::warn("{}; facepipe makes it again", failure->message);
  return complete;
}

std::optional<int> code_of_finished_part(const RunOptions& run, const std::stop_token& stop) {
  const pipeline::PartJob& part = *run.job.part;
  std::error_code error;
  if (!fs::is_directory(folder_of(part.file), error))
    throw Error(ErrorKind::output, folder_of(part.file).string() + ": is no folder");
  wait_for_lock(part.file, run, stop);
  if (!is_finished(part)) return std::nullopt;
  const auto damage = OutputLock::damage_of(part.file);
  if (damage) spdlog::error("{}: {}; the part is kept", run.inputs.front(), *damage);
  return damage ? kExitDamaged : kExitDone;
}

}  // namespace facepipe::app
