// Hides faces in two passes. The first pass finds all tracks, and the second pass hides them.
#pragma once

#include <functional>

#include "pipeline/job.h"

namespace facepipe::app {

/// Runs one job until it ends.
using RunJob =
    std::function<pipeline::JobResult(const pipeline::JobOptions&, const pipeline::JobObserver&)>;

/// Returns the job of the first pass: it writes no video, and finds all tracks.
[[nodiscard]] pipeline::JobOptions first_of_two_passes(const pipeline::JobOptions& job);

/// Runs a job twice. The first pass writes no video, finds all tracks, and stores them in `job`.
/// The second pass hides the tracks. The observer also gets the frames of the first pass. If the
/// first pass finds no tracks because it was stopped or has failed, returns its own result. Throws
/// Error(usage) if the input is not a regular file. Throws the errors of as_known_tracks().
[[nodiscard]] pipeline::JobResult run_in_two_passes(pipeline::JobOptions& job,
                                                    const pipeline::JobObserver& observer,
                                                    const RunJob& run);

}  // namespace facepipe::app
