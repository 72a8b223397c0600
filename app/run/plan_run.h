// Plans a run: which inputs it works on, which it skips, and which fail at once.
#pragma once

#include <vector>

#include "app/run/input_outcome.h"
#include "app/run/run_parts.h"

namespace facepipe::app {

/// Plans all inputs and checks the names of all files. Opens inputs to name their outputs, and
/// makes no files. Throws Error(usage) for problems that concern all inputs.
[[nodiscard]] std::vector<InputOutcome> plan_run(const RunOptions& options, const RunParts& parts);

/// Returns whether the files besides the video hold several inputs. A folder counts as several
/// inputs.
[[nodiscard]] bool has_several_inputs(const RunOptions& options,
                                      const std::vector<InputOutcome>& outcomes);

/// Returns the side files that a run writes. If all inputs have already failed, these include no
/// file about frames.
[[nodiscard]] SideFiles wanted_side_files(const RunOptions& options,
                                          const std::vector<InputOutcome>& outcomes);

}  // namespace facepipe::app
