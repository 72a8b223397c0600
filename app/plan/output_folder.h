// Finds out, without writing anything, whether a run could make its outputs.
#pragma once

#include <filesystem>

#include "app/options/options.h"
#include "app/run/input_outcome.h"

namespace facepipe::app {

/// Throws what the run would throw if it can't make the output of an input: Error(output), in the
/// same words. Somebody can change the folder before the run, and the disk can be full, so the run
/// may fail all the same.
void check_output_folder(const RunOptions& options, const InputOutcome& outcome);

/// Throws the same for the other files of a run, such as reports.
void check_side_folders(const SideFiles& files);

}  // namespace facepipe::app
