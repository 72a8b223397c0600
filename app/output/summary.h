// Makes the text that a run prints at its end.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/run/input_outcome.h"
#include "pipeline/stage_times.h"

namespace facepipe::app {

/// Returns what a run works with, for a terminal: "cpu, openvino f32, CenterFace (FILE)", and a
/// line for each further model. Without a model: "cpu, without a search for faces".
[[nodiscard]] std::vector<std::string> facts_lines(const RunFacts& facts);

/// Says how long the run has worked on all inputs.
struct WorkTime {
  double seconds = 0;  ///< without the start-up of inputs that were worked on one after the other
  bool at_once =
      false;  ///< several inputs ran at the same time, so the sum of their own times is larger
};

/// Says what the summary shows about the stages: only how long each stage works, or also how long
/// frames wait.
enum class StageDetail { work, work_and_waiting };

/// Returns several lines: the times of the stages, over all inputs; each input with its frames,
/// faces and speed; the device and the model; and where the files are.
[[nodiscard]] std::string summary_text(const std::optional<RunFacts>& facts,
                                       const std::vector<InputOutcome>& outcomes,
                                       const pipeline::StageTimes& times, const WorkTime& work,
                                       const std::vector<std::filesystem::path>& files,
                                       StageDetail detail = StageDetail::work);

}  // namespace facepipe::app
