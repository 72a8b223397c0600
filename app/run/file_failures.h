// What failed beside the inputs, in the files that hold something about all of them.
#pragma once

#include <atomic>
#include <optional>

#include "app/failure.h"

namespace facepipe::app {

/// Keeps the exit code of the first failure of a file beside the video. Thread-safe.
class FileFailures {
 public:
  /// Logs the failure, if there is one, and counts it.
  void report(const std::optional<Failure>& failure);
  /// Counts a failure that was logged before.
  void count(const Failure& failure);

  /// kExitDone if nothing has failed.
  [[nodiscard]] int code() const { return code_; }

 private:
  std::atomic<int> code_ = kExitDone;
};

}  // namespace facepipe::app
