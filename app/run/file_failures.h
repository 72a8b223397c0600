// Keeps failures that belong to no input, but to a file about all inputs.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "app/failure.h"
#include "app/options/options.h"

namespace facepipe::app {

/// Keeps the exit code of the first failure of a file besides the video. Thread-safe.
class FileFailures {
 public:
  /// @param options  decide the exit codes, see code_of(); must outlive this object
  explicit FileFailures(const RunOptions& options) : options_(options) {}

  /// Logs the failure, if there is one, and counts it. On a full disk, a file can fail in the same
  /// way at each input and at the end. That is logged once.
  void report(const std::optional<Failure>& failure);
  /// Counts a failure that is already logged.
  void count(const Failure& failure);

  /// Returns the exit code; kExitDone if nothing has failed.
  [[nodiscard]] int code() const { return code_; }

 private:
  [[nodiscard]] bool is_new(const std::string& message);

  const RunOptions& options_;
  std::atomic<int> code_ = kExitDone;
  std::mutex mutex_;  ///< guards reported_
  std::set<std::string> reported_;
};

}  // namespace facepipe::app
