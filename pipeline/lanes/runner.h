// The threads of a run, joined by channels.
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

/// Runs threads until all have ended. The first exception of any of them is kept, failed() is
/// requested, by which the others' waits end, and the exception is rethrown by run() on the
/// caller's thread. A thread that can't be started is such a failure too: Error(internal).
class Runner {
 public:
  /// Starts a thread. Another one than start_thread() is for tests.
  using Start = std::function<std::jthread(std::function<void()> body)>;

  Runner() : Runner(start_thread<std::function<void()>>) {}
  explicit Runner(Start start) : start_(std::move(start)) {}
  /// For threads that are part of another run: failed() is requested when `outer` is, too.
  explicit Runner(const std::stop_token& outer) : Runner() {
    by_outer_.emplace(outer, [this] { failure_.request_stop(); });
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// `body` will run on a thread of its own. `name` (15 characters) is the thread's.
  void add(std::string name, std::function<void()> body);

  /// Requested when a thread has failed. Every wait of one thread for another must end by it.
  [[nodiscard]] std::stop_token failed() const { return failure_.get_token(); }

  /// Runs every thread to its end; rethrows the first failure.
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
