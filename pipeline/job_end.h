// Knows whether and why a job ends before its input does.
#pragma once

#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/error.h"

namespace facepipe::pipeline {

/// Ends the input early: when the user stops the job, when the disk is full, or when a part of the
/// job fails and the output so far is kept. Thread-safe.
class JobEnd {
 public:
  /// @param ending        the input ends when its stop is requested
  /// @param keeps_output  true: an Error ends the input, and the output so far is kept; false: an
  ///                      Error fails the job
  JobEnd(std::stop_source ending, bool keeps_output)
      : ending_(std::move(ending)), keeps_output_(keeps_output) {}

  /// Ends the input early.
  void request() { ending_.request_stop(); }
  [[nodiscard]] bool requested() const { return ending_.stop_requested(); }

  /// Returns the error that has ended the input; nullopt if no error has.
  [[nodiscard]] std::optional<Error> failure() const;
  /// Returns whether that error is a PassingError.
  [[nodiscard]] bool failure_passes() const;

  /// Calls `step`. If it throws an Error and the job keeps its output, ends the input because of
  /// the error and returns false. If the job doesn't keep its output, rethrows the error.
  template <typename Step>
  bool goes_on_after(Step step) {
    try {
      step();
      return true;
    } catch (const Error& error) {
      if (!keeps_output_) throw;
      fail(error);
      return false;
    }
  }

 private:
  /// Ends the input because of an error. failure() returns the first error.
  void fail(const Error& error);

  std::stop_source ending_;
  const bool keeps_output_;
  mutable std::mutex mutex_;  // guards the members below
  std::optional<Error> failure_;
  bool failure_passes_ = false;
};

}  // namespace facepipe::pipeline
