// What a run says at its end.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/input_outcome.h"
#include "pipeline/stage_times.h"

namespace facepipe {

/// Several lines: the stages' times of all inputs together, each input with its frames, faces and
/// speed, what ran, and where the files lie.
[[nodiscard]] std::string summary_text(const std::optional<RunFacts>& facts,
                                       const std::vector<InputOutcome>& outcomes,
                                       const StageTimes& times,
                                       const std::vector<std::filesystem::path>& files);

}  // namespace facepipe
