// Runs the threads of a job.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/threads.h"

namespace facepipe::pipeline {

/// Runs threads until all have ended. If a thread throws, the stop token failed() is requested,
/// which ends the waits of the other threads. When all have ended, run() rethrows the first
/// exception on the caller's thread. If a thread can't be started, run() throws Error(internal).
class Runner {
 public:
  /// A function that starts a thread. Only tests use a function other than start_thread().
  using Start = std::function<std::jthread(std::function<void()> body)>;

  Runner() : Runner(start_thread<std::function<void()>>) {}
  explicit Runner(Start start) : start_(std::move(start)) {}
  /// Makes a runner for threads that are part of another run. If `outer` is requested, failed() is
  /// requested, too.
  explicit Runner(const std::stop_token& outer) : Runner() {
    by_outer_.emplace(outer, [this] { failure_.request_stop(); });
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Adds a thread that will run `body`. `name` is the thread's name; only its first 15 characters
  /// are used.
  void add(std::string name, std::function<void()> body);

  /// Returns the stop token that is requested when a thread has failed. When this token is
  /// requested, every wait of one thread for another must end.
  [[nodiscard]] std::stop_token failed() const { return failure_.get_token(); }

  /// Runs all threads to their end. Rethrows the first exception.
  void run();

 private:
  struct Thread {
    std::string name;
    std::function<void()> body;
  };

  void work(const Thread& thread) noexcept;
  void fail(std::exception_ptr error) noexcept;

  Start start_;
  std::vector<Thread> threads_;
  std::stop_source failure_;
  std::optional<std::stop_callback<std::function<void()>>> by_outer_;
  std::mutex mutex_;  // guards error_
  std::exception_ptr error_;
};

}  // namespace facepipe::pipeline
