// What a run does about an output that exists already.
#pragma once

#include <string>

#include "app/options/options.h"
#include "app/run/input_outcome.h"

namespace facepipe::app {

/// Skips the input if its output exists and --skip-existing was given. Throws Error(output) if the
/// output exists and may not, or can't, be replaced.
void check_existing_output(const RunOptions& options, InputOutcome& outcome);

/// Gives an input that is skipped the exit code of damage, and logs it: the output of a damaged
/// input is finished, but not whole. Damage that the user tolerates changes nothing.
/// @param damage  what an earlier run said about it
void note_earlier_damage(const RunOptions& options, InputOutcome& outcome,
                         const std::string& damage);

}  // namespace facepipe::app
