// Requests a stop when some time is over.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace facepipe::app {

/// From its construction on, the object waits `seconds` in a thread of its own. Then it requests a
/// stop. It also requests a stop when `outer` does.
class TimeLimit {
 public:
  TimeLimit(double seconds, const std::stop_token& outer);

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  struct Request {
    std::stop_source source;
    void operator()() { source.request_stop(); }
  };

  std::stop_source source_;
  std::stop_callback<Request> with_outer_;
  std::mutex mutex_;
  std::condition_variable_any ending_;
  std::jthread thread_;  // last, because the thread uses all members above
};

}  // namespace facepipe::app
