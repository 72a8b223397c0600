// What a run prints at its end.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/run/input_outcome.h"
#include "pipeline/stage_times.h"

namespace facepipe::app {

/// How long the inputs were worked on altogether.
struct WorkTime {
  double seconds = 0;    ///< without the start-up of inputs that were worked on one by one
  bool at_once = false;  ///< several inputs ran at once: their own times add up to more
};

/// What the summary says of the stages: how long each one works, or also how long frames wait.
enum class StageDetail { work, work_and_waiting };

/// Returns several lines: the stages' times of all inputs together, each input with its frames,
/// faces and speed, the device and the model, and where the files lie.
[[nodiscard]] std::string summary_text(const std::optional<RunFacts>& facts,
                                       const std::vector<InputOutcome>& outcomes,
                                       const pipeline::StageTimes& times, const WorkTime& work,
                                       const std::vector<std::filesystem::path>& files,
                                       StageDetail detail = StageDetail::work);

}  // namespace facepipe::app
