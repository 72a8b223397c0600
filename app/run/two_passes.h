// Hides faces in two passes: the first one finds all tracks, and the second one hides them.
#pragma once

#include <functional>

#include "pipeline/job.h"

namespace facepipe::app {

/// Runs one job to its end.
using RunJob =
    std::function<pipeline::JobResult(const pipeline::JobOptions&, const pipeline::JobObserver&)>;

/// Runs a job that hides first without video, to find all tracks, and then to hide them, which
/// `job` gets. The first pass tells the observer about frames. If it finds no tracks, because it
/// was stopped or has failed, its result is returned. Throws Error(usage) for an input that is no
/// regular file; as_known_tracks()'s errors.
[[nodiscard]] pipeline::JobResult run_in_two_passes(pipeline::JobOptions& job,
                                                    const pipeline::JobObserver& observer,
                                                    const RunJob& run);

}  // namespace facepipe::app
