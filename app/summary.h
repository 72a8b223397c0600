// What a run says at its end.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/input_outcome.h"
#include "core/timing.h"

namespace facepipe {

/// Several lines: what ran, each input with its frames, faces and speed, the stages' times in
/// milliseconds, and where the files lie.
[[nodiscard]] std::string summary_text(
    const std::optional<RunFacts>& facts, const std::vector<InputOutcome>& outcomes,
    const std::vector<std::pair<std::string, Percentiles>>& stages,
    const std::vector<std::filesystem::path>& files);

}  // namespace facepipe
