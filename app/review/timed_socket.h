// Owns a socket. Each wait for it has a deadline, and ends when the server stops.
#pragma once

#include <cstddef>
#include <span>

#include "core/timing.h"

namespace facepipe::app {

/// A reading end that becomes readable when the server stops, and never is read.
class StopEvent {
 public:
  /// Errors: Error(internal) if the system has no descriptor left.
  StopEvent();
  ~StopEvent();
  StopEvent(const StopEvent&) = delete;
  StopEvent& operator=(const StopEvent&) = delete;

  void set() const noexcept;
  [[nodiscard]] int descriptor() const { return event_; }

 private:
  int event_;
};

/// Says whether waiting ends when the server stops. Answers are written all the same, so that the
/// page hears that the review has ended.
enum class StopEndsWait { yes, no };

/// Waits until a descriptor is readable (`events` POLLIN) or writable (POLLOUT). Returns 0, or an
/// errno: ETIMEDOUT after the deadline, ECANCELED after `stop`.
[[nodiscard]] int wait_for(int descriptor, short events, const StopEvent& stop, StopEndsWait ends,
                           Clock::time_point deadline) noexcept;

class TimedSocket {
 public:
  /// Takes over the socket.
  TimedSocket(int socket, const StopEvent& stop) : socket_(socket), stop_(stop) {}
  ~TimedSocket();
  TimedSocket(const TimedSocket&) = delete;
  TimedSocket& operator=(const TimedSocket&) = delete;

  /// Sets how long all reads and writes from now on may take together.
  void expire_after(Clock::duration time) { deadline_ = Clock::now() + time; }
  /// Waits for data. Returns 0 or an errno of wait_for().
  [[nodiscard]] int wait_for_data() const noexcept;
  /// Reads or writes some bytes. `code` becomes 0 or an errno. 0 bytes without an error mean that
  /// the other side has ended.
  [[nodiscard]] std::size_t read(std::span<std::byte> bytes, int& code) const noexcept;
  [[nodiscard]] std::size_t write(std::span<const std::byte> bytes, int& code) const noexcept;
  /// Says to the other side that nothing more comes, and takes what it still sends for a moment.
  /// Otherwise the system would throw away an answer that the other side has not read yet.
  void end() noexcept;

 private:
  int socket_;
  const StopEvent& stop_;
  Clock::time_point deadline_{};
};

}  // namespace facepipe::app
