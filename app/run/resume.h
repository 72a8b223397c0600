// Finds out what an earlier run has already done (--skip-existing).
#pragma once

#include <vector>

#include "app/options/options.h"
#include "app/output/side_files.h"
#include "app/run/input_outcome.h"

namespace facepipe::app {

/// Compares the inputs of a run with the files that an earlier run has left. Without
/// --skip-existing, this class changes nothing.
class Resume {
 public:
  /// @param files  the files with the results of earlier runs; they and the options must outlive
  ///               this object
  Resume(const RunOptions& options, SideOutputs& files) : options_(options), files_(files) {}

  /// Skips each input for which an earlier run has completed the video and the frames in the files.
  /// If two inputs have the same name in the files, nobody knows to which input the frames belong.
  /// Then this function forgets the frames.
  void skip_what_is_done(std::vector<InputOutcome>& outcomes);
  /// Decides about one input. If its video exists but its frames are missing, lets the run work on
  /// the input again. If the run writes no video and the frames exist, skips the input.
  void skip_if_done(InputOutcome& outcome) const;

  /// Returns whether an earlier run has done everything for all inputs, so that its files stay
  /// unchanged.
  [[nodiscard]] bool nothing_is_left(const std::vector<InputOutcome>& outcomes) const;

 private:
  [[nodiscard]] bool is_on() const { return options_.existing == ExistingOutput::skip; }
  void forget_ambiguous_names(const std::vector<InputOutcome>& outcomes);

  const RunOptions& options_;
  SideOutputs& files_;
};

/// Removes the locks of runs that were killed directly after they had finished a video. This run
/// skips these videos, so its jobs don't remove the locks.
void remove_locks_of_dead_runs(const std::vector<InputOutcome>& outcomes);

}  // namespace facepipe::app
