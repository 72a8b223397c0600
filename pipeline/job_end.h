// When and why a job ends before its input does.
#pragma once

#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/error.h"

namespace facepipe::pipeline {

/// The input ends early if somebody asks for it, if the disk is full, or if a part of the job
/// fails and what is written so far is worth keeping. Thread-safe.
class JobEnd {
 public:
  /// @param ending        the input is to end when it is requested
  /// @param keeps_output  an Error ends the input and keeps what is written; else it fails the job
  JobEnd(std::stop_source ending, bool keeps_output)
      : ending_(std::move(ending)), keeps_output_(keeps_output) {}

  /// Lets the input end.
  void request() { ending_.request_stop(); }
  [[nodiscard]] bool requested() const { return ending_.stop_requested(); }

  /// The error that has ended the input.
  [[nodiscard]] std::optional<Error> failure() const;

  /// Does a step. False if it has failed and the job keeps its output; else its Error is thrown.
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
  /// Lets the input end because of an error. The first error is kept.
  void fail(const Error& error);

  std::stop_source ending_;
  const bool keeps_output_;
  mutable std::mutex mutex_;  // guards failure_
  std::optional<Error> failure_;
};

}  // namespace facepipe::pipeline
