// What an earlier run has done already (--skip-existing).
#pragma once

#include <vector>

#include "app/options/options.h"
#include "app/output/side_files.h"
#include "app/run/input_outcome.h"

namespace facepipe::app {

/// Compares the inputs of a run with what an earlier run has left. Without --skip-existing it
/// changes nothing.
class Resume {
 public:
  /// @param files  with what earlier runs wrote; they outlive this object, and so do the options
  Resume(const RunOptions& options, SideOutputs& files) : options_(options), files_(files) {}

  /// Skips each input that an earlier run has done completely: its video, and its frames in the
  /// files. If two inputs have the same name in the files, nobody can tell whose frames are there:
  /// then it forgets them.
  void skip_what_is_done(std::vector<InputOutcome>& outcomes);
  /// Does the same for one input, whose output exists or is not wanted.
  void skip_if_done(InputOutcome& outcome) const;

  /// Tells whether an earlier run has done all inputs, so that its files stay as they are.
  [[nodiscard]] bool nothing_is_left(const std::vector<InputOutcome>& outcomes) const;

 private:
  [[nodiscard]] bool is_on() const { return options_.existing == ExistingOutput::skip; }
  void forget_ambiguous_names(const std::vector<InputOutcome>& outcomes);

  const RunOptions& options_;
  SideOutputs& files_;
};

/// Removes the locks of runs that were killed right after they had finished a video, which is
/// skipped now.
void remove_locks_of_dead_runs(const std::vector<InputOutcome>& outcomes);

}  // namespace facepipe::app
