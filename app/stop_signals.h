// Makes a stop token for Ctrl-C.
#pragma once

#include <stop_token>
#include <thread>

namespace facepipe::app {

/// While this object exists, the first SIGINT, SIGTERM or SIGHUP requests a stop, and the second
/// such signal ends the program at once. If SIGHUP was ignored before, it stays ignored. A process
/// may have only one StopSignals, which must be made before other threads are started.
class StopSignals {
 public:
  /// Throws std::system_error if the system has no pipe left, or Error(internal) if it can't start
  /// a thread.
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::jthread listener_;
};

/// Returns the number of the first signal that has requested a stop in this process; 0 if none has.
[[nodiscard]] int signal_that_stopped() noexcept;

}  // namespace facepipe::app
