// Makes the options of the runs that make a part, or join parts.
#pragma once

#include <optional>
#include <stop_token>

#include "app/options/options.h"
#include "app/parts/part_plan.h"
#include "pipeline/job_options.h"

namespace facepipe::app {

/// Returns the job that makes a part.
/// @param job     the job that makes the whole output
/// @param number  from 0
[[nodiscard]] pipeline::JobOptions job_of_part(pipeline::JobOptions job, const NamedPlan& plan,
                                               std::size_t number,
                                               const std::filesystem::path& folder);

/// Says how a job follows and hides the faces of a long scene, which the jobs of its parts have
/// found.
[[nodiscard]] pipeline::PartJob scene_of(const NamedPlan& plan, const LongScene& scene,
                                         const std::filesystem::path& folder);

/// Returns the job that makes the part file of a long scene.
/// @param job  the job that makes or joins the whole output
[[nodiscard]] pipeline::JobOptions job_of_scene(pipeline::JobOptions job, pipeline::PartJob scene);

/// Returns the job that joins the parts and the long scenes in the folder.
[[nodiscard]] pipeline::JobOptions job_of_join(pipeline::JobOptions job, const NamedPlan& plan,
                                               const std::filesystem::path& folder);

/// Returns the run of `facepipe part`: a task that writes only the part file. Reads the plan.
/// Throws Error(usage) for a part that the plan doesn't have; the errors of read_part_plan() and
/// parse_command().
[[nodiscard]] RunOptions run_of_part(const PartOptions& options);

/// Returns the run of `facepipe join`. Reads the plan. Throws the errors of read_part_plan() and
/// parse_command().
[[nodiscard]] RunOptions run_of_join(const JoinOptions& options);

/// Returns the number of a part, from 1: `text` itself, or for "auto" the index of an array of
/// tasks, from the environment variables of schedulers. Throws Error(usage) if it is no number, if
/// no variable is set, or if two variables disagree.
[[nodiscard]] int part_number_of(const std::string& text);

/// Makes the folder of the part file if there is none. Waits until no other program makes the part,
/// at most TaskOptions::patience. Returns the exit
/// code if the part file is then complete; nullopt if it must be made. A damaged input has the code
/// that it had when the part was made. Throws LockHeld and Stopped.
[[nodiscard]] std::optional<int> code_of_finished_part(const RunOptions& run,
                                                       const std::stop_token& stop);

/// Makes a folder for part files, and the folders around it, unless it exists. Throws
/// Error(output).
void make_folder(const std::filesystem::path& folder);

/// Returns whether the part file of a job is complete.
[[nodiscard]] bool is_finished(const pipeline::PartJob& part);

}  // namespace facepipe::app
