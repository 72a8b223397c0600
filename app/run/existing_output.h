// Decides what a run does if an output already exists.
#pragma once

#include <string>

#include "app/options/options.h"
#include "app/run/input_outcome.h"

namespace facepipe::app {

/// Marks the input as skipped if its output exists and --skip-existing was given. Throws
/// Error(output) if the output exists and must not or can't be replaced.
void check_existing_output(const RunOptions& options, InputOutcome& outcome);

/// Handles a skipped input that an earlier run found damaged. Its finished output then lacks
/// something. Sets the exit code for damage, and logs the damage. Does nothing if the user
/// tolerates damage.
/// @param damage  an earlier run's sentence about the damage
void note_earlier_damage(const RunOptions& options, InputOutcome& outcome,
                         const std::string& damage);

}  // namespace facepipe::app
