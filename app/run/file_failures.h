// Keeps failures that belong to no input, but to a file about all inputs.
#pragma once

#include <atomic>
#include <optional>

#include "app/failure.h"

namespace facepipe::app {

/// Keeps the exit code of the first failure of a file besides the video. Thread-safe.
class FileFailures {
 public:
  /// Logs the failure, if there is one, and counts it.
  void report(const std::optional<Failure>& failure);
  /// Counts a failure that is already logged.
  void count(const Failure& failure);

  /// Returns the exit code; kExitDone if nothing has failed.
  [[nodiscard]] int code() const { return code_; }

 private:
  std::atomic<int> code_ = kExitDone;
};

}  // namespace facepipe::app
