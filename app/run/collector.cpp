#include "app/run/collector.h"

#include <utility>

#include "app/output/report.h"

namespace facepipe::app {

Collector::Collector(const RunOptions& options, const std::optional<RunFacts>& facts,
                     const std::vector<InputOutcome>& outcomes, SharedFiles& files,
                     FileFailures& failures)
    : options_(options),
      facts_(facts),
      outcomes_(outcomes),
      shared_(files),
      failures_(failures),
      ended_(outcomes.size()) {}

void Collector::end(std::size_t index, std::optional<SideOutputs::Spool> frames) {
  const std::scoped_lock lock(shared_.mutex);
  ended_[index] = {true, std::move(frames)};
  for (; next_ < ended_.size() && ended_[next_].done; ++next_)
    complete(outcomes_[next_], std::exchange(ended_[next_].frames, std::nullopt));
}

bool Collector::has_ended(std::size_t index) const {
  const std::scoped_lock lock(shared_.mutex);
  return ended_[index].done;
}

void Collector::complete(const InputOutcome& outcome,
                         const std::optional<SideOutputs::Spool>& frames) {
  if (frames && outcome.has_result()) shared_.files.write(*frames);
  if (outcome.has_result()) complete_frames(outcome);
  if (outcome.status == InputStatus::skipped) shared_.files.take(outcome.planned.name);
}

void Collector::complete_frames(const InputOutcome& outcome) {
  SideOutputs& files = shared_.files;
  if (outcome.status != InputStatus::partial) {
    if (outcome.result.tracks)
      failures_.report(attempt({}, [&] { files.commit_tracks(*outcome.result.tracks); }));
    // The entry comes first, because a later run assumes that an input with frames has an entry.
    if (!options_.files.report.empty())
      failures_.report(attempt({}, [&] {
        files.add_entry(outcome.planned.name, entry_json(options_, facts_, outcome));
      }));
    files.keep(outcome.planned.name);
  } else if (shared_.of_several) {
    files.forget();
  } else {
    files.keep_unfinished(outcome.planned.name);  // a part of the only input is kept
  }
}

}  // namespace facepipe::app
