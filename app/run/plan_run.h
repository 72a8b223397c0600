// The start of a run: which inputs it works on, which it skips, and which fail at once.
#pragma once

#include <vector>

#include "app/run/input_outcome.h"
#include "app/run/run_parts.h"

namespace facepipe::app {

/// Plans all inputs and checks the names of all files. It opens inputs to name their outputs, and
/// makes nothing. Throws Error(usage) for what concerns all inputs.
[[nodiscard]] std::vector<InputOutcome> plan_run(const RunOptions& options, const RunParts& parts);

/// Tells whether the files beside the video hold several inputs. A folder counts as several.
[[nodiscard]] bool has_several_inputs(const RunOptions& options,
                                      const std::vector<InputOutcome>& outcomes);

/// Returns the side files that a run writes. If every input has failed already, it writes no file
/// about frames.
[[nodiscard]] SideFiles wanted_side_files(const RunOptions& options,
                                          const std::vector<InputOutcome>& outcomes);

}  // namespace facepipe::app
