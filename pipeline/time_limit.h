// Requests a stop when some time is over.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace facepipe::pipeline {

/// From its construction on, the object waits `seconds` in a thread of its own. Then it requests a
/// stop. The destructor ends the wait.
class TimeLimit {
 public:
  TimeLimit(double seconds, std::stop_source stopped);

  /// Returns whether the object has requested the stop.
  [[nodiscard]] bool is_over() const { return over_; }

 private:
  std::stop_source stopped_;
  std::atomic<bool> over_ = false;
  std::mutex mutex_;
  std::condition_variable_any ending_;
  std::jthread thread_;  // last, because the thread uses all members above
};

}  // namespace facepipe::pipeline
