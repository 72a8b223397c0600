// Decides what a run does if an output already exists.
#pragma once

#include <string>

#include "app/options/options.h"
#include "app/run/input_outcome.h"

namespace facepipe::app {

/// Marks the input as skipped if its output exists and --skip-existing was given. Throws
/// Error(output) if the output exists and must not be, or can't be, replaced.
void check_existing_output(const RunOptions& options, InputOutcome& outcome);

/// Handles an input that is skipped, but damaged: its output is finished, but not complete. Sets
/// the exit code of damage, and logs it. Does nothing if the user tolerates damage.
/// @param damage  what an earlier run said about the damage
void note_earlier_damage(const RunOptions& options, InputOutcome& outcome,
                         const std::string& damage);

}  // namespace facepipe::app
