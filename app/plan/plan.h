// The commands `plan run` and `plan hide`: tell what run or hide would do, and what it would take.
#pragma once

#include <stop_token>

#include "app/options/options.h"
#include "app/run/run_parts.h"

namespace facepipe::app {

/// Plans a run, tries its job on parts of the inputs, and prints the plan to standard output.
/// Writes nothing else. Returns the exit code: the code of the first input that run or hide would
/// refuse, otherwise 0. Throws the errors of plan_run(), check_existing_files() and
/// RunDevice::ready(); Error(usage) for an input that can be read only once.
/// @param parts  RunParts::job isn't used
[[nodiscard]] int plan(const PlanOptions& options, const RunParts& parts,
                       const std::stop_token& stop);

}  // namespace facepipe::app
