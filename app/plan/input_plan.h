// Holds what is planned for one input, and for all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/plan/estimate.h"
#include "app/run/input_outcome.h"
#include "pipeline/job_options.h"
#include "pipeline/job_trial.h"

namespace facepipe::app {

struct InputPlan {
  InputOutcome outcome;  ///< `waiting` if the run would work on the input
  pipeline::JobOptions job;
  double preparation_s = 0;
  // The following are only for inputs that the run would work on.
  pipeline::JobPreview preview;
  std::vector<Trial> trials;  ///< empty if another input of the same kind was tried
  std::string tried_as;       ///< the name of this other input
  Estimate estimate;

  [[nodiscard]] bool is_planned() const { return outcome.status == InputStatus::waiting; }
};

/// How busy the machine was before the trials.
struct MachineLoad {
  double average = 0;  ///< threads that want to run, over the last minute
  int processors = 1;

  /// Returns whether an idle machine would be clearly faster.
  [[nodiscard]] bool is_busy() const { return average > 0.25 * processors; }
};

struct RunPlan {
  std::vector<InputPlan> inputs;
  std::optional<RunFacts> facts;  ///< nullopt if no input needs the device
  double load_s = 0;              ///< for choosing the device and loading the model
  MachineLoad machine;
  std::int64_t memory_bytes = 0;  ///< the most that the trials have used, on the host
  /// The most that was in use on the GPU during the trials, by all programs; 0: there is no GPU.
  std::int64_t device_memory_bytes = 0;
};

/// Says how much time and space all inputs take together.
struct PlanSum {
  std::size_t inputs = 0;         ///< those that the run would work on
  std::optional<double> seconds;  ///< nullopt if a number of frames is unknown
  std::optional<ByteRange> bytes;
};
[[nodiscard]] PlanSum sum_of(const RunPlan& plan);

/// Returns what a person reads: everything about one input; of several inputs a line each and a
/// sum. The names of files are as they are; print() makes them safe.
[[nodiscard]] std::string plan_text(const RunPlan& plan);

/// The number of plan_json()'s form. It changes when a member is removed or gets another meaning.
inline constexpr int kPlanForm = 1;

/// Returns the same as JSON, with everything about each input.
/// @param options  of the command that is planned
[[nodiscard]] std::string plan_json(const RunPlan& plan, const RunOptions& options);

}  // namespace facepipe::app
