// Makes a stop token of Ctrl-C.
#pragma once

#include <stop_token>
#include <thread>

namespace facepipe::app {

/// While this object lives, the first SIGINT, SIGTERM or SIGHUP requests a stop, and the next one
/// ends the program at once. A SIGHUP that was ignored before stays ignored. A process has one
/// object, which is made before other threads.
class StopSignals {
 public:
  /// Throws std::system_error if the system has no pipe left, Error(internal) if it has no thread.
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::jthread listener_;
};

}  // namespace facepipe::app
