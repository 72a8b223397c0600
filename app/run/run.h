// `facepipe run`, hide and detect: all inputs, from the list of names to the summary.
#pragma once

#include <stop_token>

#include "app/options/options.h"
#include "app/run/run_parts.h"

namespace facepipe::app {

/// Works on every input, writes the files beside the videos and the summary, and returns the exit
/// code. If one input fails, this is logged and the others go on. Throws Error for what concerns
/// all of them: options that clash, side files that can't be made, device or model.
[[nodiscard]] int run(const RunOptions& options, const RunParts& parts,
                      const std::stop_token& stop);

}  // namespace facepipe::app
