// Ctrl-C as a stop token.
#pragma once

#include <stop_token>
#include <thread>

namespace facepipe::app {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP requests a stop, and the next one ends the
/// program at once; a SIGHUP that was ignored before stays ignored. One object a process; made
/// before other threads, so that they start with it in place.
class StopSignals {
 public:
  /// Throws std::system_error where the system has no pipe left, Error(internal) where it has no
  /// thread.
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
