// Threads that work on one stream of items, one thread a stage, joined by channels.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/threads.h"
#include "pipeline/channel.h"

namespace facepipe {

/// Runs stages until all have ended. The first exception of any stage is kept, all channels are
/// aborted, the threads joined, and the exception is rethrown by run() on the caller's thread. A
/// thread that can't be started is such a failure too: Error(internal).
class Runner {
 public:
  /// Starts a stage's thread. Another one than start_thread() is for tests.
  using Start = std::function<std::jthread(std::function<void()> body)>;

  Runner() : Runner(start_thread<std::function<void()>>) {}
  explicit Runner(Start start) : start_(std::move(start)) {}
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Registers a channel to be aborted when a stage fails. The channel must outlive run().
  void watch(Abortable& channel) { channels_.push_back(&channel); }

  /// A stage: `body` runs on a thread of its own. `name` (15 characters) is the thread's.
  void stage(std::string name, std::function<void()> body);

  /// Requested when a stage has failed: for waits that are not on a channel.
  [[nodiscard]] std::stop_token failed() const { return failure_.get_token(); }

  /// Runs every stage to its end; rethrows the first failure.
  void run();

 private:
  struct Stage {
    std::string name;
    std::function<void()> body;
  };

  void start_all(std::vector<std::jthread>& threads);
  void work(const Stage& stage) noexcept;
  void fail(std::exception_ptr error) noexcept;
  void abort_until_ended();

  Start start_;
  std::vector<Stage> stages_;
  std::vector<Abortable*> channels_;
  std::stop_source failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr error_;
  std::size_t running_ = 0;
};

}  // namespace facepipe
