#include "app/run/two_passes.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "app/run/known_tracks.h"
#include "app/run/named_files.h"
#include "core/error.h"

namespace facepipe::app {
namespace {

/// Returns an observer that counts the frames of both passes. `before` frames were done in earlier
/// passes.
pipeline::JobObserver of_one_pass(const pipeline::JobObserver& observer, std::int64_t before) {
  pipeline::JobObserver pass = observer;
  if (observer.progress)
    pass.progress = [update = observer.progress, before](pipeline::Progress now) {
      now.expected_frames = before > 0 ? 2 * before : 2 * now.expected_frames;
      now.frames += before;
      update(now);
    };
  return pass;
}

/// Adds the copies of `more` to those of `to`, kind by kind. Precondition: both lists have the same
/// kinds, or one list is empty.
void add_copies(std::vector<pipeline::CopySum>& to, const std::vector<pipeline::CopySum>& more) {
  for (pipeline::CopySum& sum : to) {
    const auto added = std::ranges::find(more, sum.kind, &pipeline::CopySum::kind);
    if (added == more.end()) continue;
    sum.calls += added->calls;
    sum.bytes += added->bytes;
  }
}

/// Returns the result of the second pass, completed with the facts that only the first pass knows.
pipeline::JobResult merged(pipeline::JobResult first, pipeline::JobResult second) {
  second.tracks = std::move(first.tracks);
  second.counts = first.counts;
  second.track_counts = first.track_counts;
  second.network = first.network;
  add_copies(second.resources.copies, first.resources.copies);
  second.times.wall_s += first.times.wall_s;
  second.times.startup_s += first.times.startup_s;
  second.times.cpu_s += first.times.cpu_s;
  const double worked = second.times.wall_s - second.times.startup_s;
  if (worked > 0) second.times.fps = static_cast<double>(second.ledger.decoded) / worked;
  return second;
}

}  // namespace

pipeline::JobOptions first_of_two_passes(const pipeline::JobOptions& job) {
  pipeline::JobOptions first = job;
  first.output.path.clear();
  first.hide->wants_tracks = true;
  first.hide->tracks.look_ahead_s = std::numeric_limits<double>::infinity();
  return first;
}

pipeline::JobResult run_in_two_passes(pipeline::JobOptions& job,
                                      const pipeline::JobObserver& observer, const RunJob& run) {
  if (!bytes_of_input(job.input.name))
    throw Error(
        ErrorKind::usage,
        job.input.name + ": is not a regular file, but --two-pass must read the input twice");
  pipeline::JobResult found = run(first_of_two_passes(job), of_one_pass(observer, 0));
  if (found.interrupted || found.failure || !found.tracks) return found;
  job.hide->known = as_known_tracks(*found.tracks, job.input.name, job.hide->classes);
  job.hide->wants_tracks = false;
  pipeline::JobObserver second = of_one_pass(observer, found.ledger.decoded);
  second.frame = nullptr;
  return merged(std::move(found), run(job, second));
}

}  // namespace facepipe::app
