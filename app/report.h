// The file of --report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/input_outcome.h"
#include "app/options.h"

namespace facepipe {

/// A JSON array with one object an input, in order. Fields of what was not reached (the model of a
/// run that failed before, the frames of a skipped input) are null.
[[nodiscard]] std::string report_json(const RunOptions& options,
                                      const std::optional<RunFacts>& facts,
                                      const std::vector<InputOutcome>& outcomes);

}  // namespace facepipe
