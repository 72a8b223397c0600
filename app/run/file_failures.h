// Keeps failures that belong to no input, but to a file about all inputs.
#pragma once

#include <atomic>
#include <optional>

#include "app/failure.h"
#include "app/options/options.h"

namespace facepipe::app {

/// Keeps the exit code of the first failure of a file besides the video. Thread-safe.
class FileFailures {
 public:
  /// @param options  decide the exit codes, see code_of(); must outlive this object
  explicit FileFailures(const RunOptions& options) : options_(options) {}

  /// Logs the failure, if there is one, and counts it.
  void report(const std::optional<Failure>& failure);
  /// Counts a failure that is already logged.
  void count(const Failure& failure);

  /// Returns the exit code; kExitDone if nothing has failed.
  [[nodiscard]] int code() const { return code_; }

 private:
  const RunOptions& options_;
  std::atomic<int> code_ = kExitDone;
};

}  // namespace facepipe::app
