// Decides where and how a run shows its progress.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdio>

#include "app/options/options.h"
#include "app/output/progress.h"
#include "app/run/file_failures.h"
#include "app/run/input_outcome.h"

namespace facepipe::app {

/// Chooses the kind of progress by the options of the console. Thread-safe.
class RunProgress {
 public:
  /// @param inputs    the number of inputs of the run
  /// @param failures  gets the failure if progress can't be written; must outlive this object
  RunProgress(const RunOptions& options, std::size_t inputs, FileFailures& failures);

  [[nodiscard]] ProgressKind kind() const { return kind_; }
  [[nodiscard]] std::FILE* stream() const;
  /// Returns the content of the first line about an input.
  [[nodiscard]] ProgressState first_state(std::size_t index, const InputOutcome& outcome) const;

  /// Writes the last line about an input. Programs rely on the JSON lines. So if a line could not
  /// be written, `failures` gets one failure, no matter how many lines were lost.
  void end(ProgressReporter& reporter, const InputOutcome& outcome);
  /// Writes the only JSON line about an input that the run doesn't work on: it was skipped, it was
  /// refused, or the run was stopped.
  void report_end(std::size_t index, const InputOutcome& outcome);

 private:
  void report_write_error(int code);

  const std::size_t inputs_;
  const bool of_task_;
  FileFailures& failures_;
  const ProgressKind kind_;
  std::atomic<bool> has_failed_ = false;
};

}  // namespace facepipe::app
