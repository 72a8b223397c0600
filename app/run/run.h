// Implements `facepipe run`, hide and detect: works on all inputs, from the list of names to the
// summary.
#pragma once

#include <stop_token>

#include "app/options/options.h"
#include "app/run/run_parts.h"

namespace facepipe::app {

/// Works on all inputs, writes the files besides the videos and the summary, and returns the exit
/// code. If one input fails, the failure is logged, and the run continues with the other inputs.
/// Throws Error for problems that concern all inputs: options that contradict each other, side
/// files that can't be made, and the device or the model.
[[nodiscard]] int run(const RunOptions& options, const RunParts& parts,
                      const std::stop_token& stop);

}  // namespace facepipe::app
