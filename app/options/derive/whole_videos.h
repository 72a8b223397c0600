// Makes the options of commands that work on whole videos: what run, hide and detect have in
// common.
#pragma once

#include "app/options/asked.h"

namespace facepipe::app {

/// Sets the names of inputs and outputs. Replaces "-" by the names of the files of standard input
/// and standard output.
void derive_streams(const Asked& asked, RunOptions& run);

/// Sets what happens to outputs that exist already.
void derive_existing(const Asked& asked, RunOptions& run);

/// Refuses what --task excludes.
void check_task(const RunOptions& run);

/// Completes `run` with everything that depends on several options. `run` has what its command has
/// alone.
[[nodiscard]] RunOptions derive_run(const Asked& asked, RunOptions run);

/// Makes the options of run.
[[nodiscard]] RunOptions derive_drawing(const Asked& asked);

}  // namespace facepipe::app
