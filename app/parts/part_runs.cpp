#include "app/parts/part_runs.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "app/failure.h"
#include "app/options/derive/common.h"
#include "app/parts/split.h"
#include "app/run/task.h"
#include "core/error.h"
#include "core/files/output_file.h"
#include "pipeline/parts/part_file.h"
#include "video/bitstream/packet_hash.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

/// Gives a model that is named by a relative path the folder in which the plan was made. Other
/// names, such as that of the default model, stay.
void find_in(const std::string& folder, fs::path& file) {
  std::error_code error;
  const fs::path there = folder / file;
  if (!file.empty() && fs::exists(there, error)) file = there;
}

/// Parts of a plan, in a row, on which one job works.
struct PartRange {
  std::size_t first = 0;  ///< a part's number, from 0
  std::size_t last = 0;
};

/// Returns the hash of all packets of the parts.
std::uint64_t hash_of(const PartPlan& plan, const PartRange& range) {
  std::uint64_t hash = 0;
  for (std::size_t i = range.first; i <= range.last; ++i)
    hash = video::hash_of_both(hash, plan.parts.at(i).hash, plan.parts[i].packets);
  return hash;
}

std::int64_t packets_of(const PartPlan& plan, const PartRange& range) {
  std::int64_t packets = 0;
  for (std::size_t i = range.first; i <= range.last; ++i) packets += plan.parts.at(i).packets;
  return packets;
}

/// Sets the segments on which a job works: its own, and behind its cut the packets up to the scene
/// with which the next part begins.
void set_segments(const PartPlan& plan, const PartRange& range, pipeline::PartJob& part) {
  const std::vector<std::int64_t> all = cuts_of(plan);
  if (range.first > 0) part.cuts.push_back(all[range.first - 1]);
  part.number = part.cuts.size();
  if (range.last < all.size()) part.cuts.push_back(all[range.last]);
  part.hash = hash_of(plan, range);
  part.next = plan.parts.at(range.last).next;
  if (part.next) part.cuts.push_back(all[range.last] + part.next->packets);
  if (range.first > 0 && plan.parts[range.first - 1].next)
    part.left_out = plan.parts[range.first - 1].next->frames;
  part.begins_input = range.first == 0;
  part.ends_input = range.last == all.size();
}

/// Returns whether the part belongs to a long scene.
bool is_of_long_scene(const PartPlan& plan, std::size_t number) {
  return std::ranges::any_of(long_scenes_of(plan), [&](const LongScene& scene) {
    return scene.first <= number && number <= scene.last;
  });
}

/// Sets what all jobs have in common that write part files.
void set_part_options(pipeline::JobOptions& job) {
  if (job.hide) {
    job.hide->wants_tracks = false;
    job.hide->collects_tracks = !job.hide->known;  // join may write them
  }
  job.wants_faces = true;  // join may write them
  job.wants_stage_times = true;
}

/// Makes the job one that only looks for faces.
void search_only(pipeline::JobOptions& job) {
  job.part->searches_only = true;
  job.hide->collects_tracks = false;
  job.hide->regions = {};  // they say what is hidden, and nothing is hidden here
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
  if (plan.follows_faces != follows_faces(run))
    throw Error(ErrorKind::input,
                "the plan doesn't say whether faces are followed; split the input again");
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
  set_segments(plan.plan, {number, number}, part);
  // Looks for faces that are turned depend on the number of a picture, which is the number of
  // pictures before it. So a part of hide reads all packets before it.
  if (!job.hide) part.before = plan.plan.parts.at(number).before;
  set_part_options(job);
  job.resources.encoder_threads = plan.plan.encoder_threads;
  if (is_of_long_scene(plan.plan, number)) search_only(job);
  return job;
}

pipeline::PartJob scene_of(const NamedPlan& plan, const LongScene& scene, const fs::path& folder) {
  pipeline::PartJob part;
  part.file = folder / scene_file_name(plan, scene);
  part.key = scene_key(plan, scene);
  set_segments(plan.plan, {scene.first, scene.last}, part);
  for (std::size_t i = scene.first; i <= scene.last; ++i)
    part.searched.push_back({folder / part_file_name(plan, i), part_key(plan, i)});
  return part;
}

pipeline::JobOptions job_of_scene(pipeline::JobOptions job, pipeline::PartJob scene) {
  job.join.reset();
  job.part = std::move(scene);
  set_part_options(job);
  return job;
}

pipeline::JobOptions job_of_join(pipeline::JobOptions job, const NamedPlan& plan,
                                 const fs::path& folder) {
  pipeline::JoinJob& join = job.join.emplace();
  const std::vector<LongScene> scenes = long_scenes_of(plan.plan);
  auto scene = scenes.begin();
  for (std::size_t i = 0; i < plan.plan.parts.size(); ++i) {
    if (scene == scenes.end() || scene->first != i) {
      join.parts.push_back({folder / part_file_name(plan, i), part_key(plan, i),
                            plan.plan.parts[i].packets, plan.plan.parts[i].hash});
      continue;
    }
    const PartRange range{scene->first, scene->last};
    join.parts.push_back({folder / scene_file_name(plan, *scene), scene_key(plan, *scene),
                          packets_of(plan.plan, range), hash_of(plan.plan, range)});
    i = scene->last;
    ++scene;
  }
  job.resources.encoder_threads = plan.plan.encoder_threads;
  return job;
}

namespace {

/// Refuses outputs whose contents aren't in the part files.
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
  if (run.job.hide && options.lanes > 1) clash("--lanes: a part of split hide has one lane");
  run.job.resources.lanes = options.lanes;
  run.tolerate_damage = options.tolerate_damage;
  run.console = options.console;
  run.sandbox = options.sandbox;
  run.task = options.task;
  run.video = false;  // only the part file is written
  run.job.output.path = plan.plan.output;
  run.job =
      job_of_part(std::move(run.job), plan, static_cast<std::size_t>(number) - 1, options.folder);
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
  for (const LongScene& scene : long_scenes_of(plan.plan))
    run.long_scenes.push_back(scene_of(plan, scene, options.folder));
  run.job = job_of_join(std::move(run.job), plan, options.folder);
  return run;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(ErrorKind::output, folder.string() + ": can't be made: " + error.message());
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
  make_folder(folder_of(part.file));
  wait_for_lock(part.file, run, stop);
  if (!is_finished(part)) return std::nullopt;
  const auto damage = OutputLock::damage_of(part.file);
  if (damage) spdlog::error("{}: {}; the part is kept", run.inputs.front(), *damage);
  return damage && !run.tolerate_damage ? kExitDamaged : kExitDone;
}

}  // namespace facepipe::app
