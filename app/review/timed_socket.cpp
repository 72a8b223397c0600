#include "app/review/timed_socket.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <system_error>

#include "core/error.h"

namespace facepipe::app {
namespace {

constexpr Clock::duration kFarewell = std::chrono::milliseconds(200);

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  constexpr std::int64_t kMost = 60'000;
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, kMost));
}

}  // namespace

StopEvent::StopEvent() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_ < 0)
    throw Error(ErrorKind::internal,
                "can't make an event: " + std::generic_category().message(errno));
}

StopEvent::~StopEvent() { close(event_); }

void StopEvent::set() const noexcept {
  const std::uint64_t one = 1;
  static_cast<void>(write(event_, &one, sizeof one) == sizeof one);  // a full event is set as well
}

int wait_for(int descriptor, short events, const StopEvent& stop, StopEndsWait ends,
             Clock::time_point deadline) noexcept {
  while (true) {
    std::array<pollfd, 2> both{{{descriptor, events, 0}, {stop.descriptor(), POLLIN, 0}}};
    const nfds_t count = ends == StopEndsWait::yes ? 2 : 1;
    const int ready = poll(both.data(), count, milliseconds_until(deadline));
    if (ready < 0 && errno != EINTR) return errno;
    if (ready > 0 && both[1].revents != 0) return ECANCELED;
    if (ready > 0) return 0;
    if (Clock::now() >= deadline) return ETIMEDOUT;
  }
}

TimedSocket::~TimedSocket() { close(socket_); }

int TimedSocket::wait_for_data() const noexcept {
  return wait_for(socket_, POLLIN, stop_, StopEndsWait::yes, deadline_);
}

std::size_t TimedSocket::read(std::span<std::byte> bytes, int& code) const noexcept {
  while (true) {
    code = wait_for_data();
    if (code != 0) return 0;
    const ssize_t count = recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count >= 0) return static_cast<std::size_t>(count);
    code = errno;
    if (code != EAGAIN && code != EINTR) return 0;
  }
}

std::size_t TimedSocket::write(std::span<const std::byte> bytes, int& code) const noexcept {
  while (true) {
    code = wait_for(socket_, POLLOUT, stop_, StopEndsWait::no, deadline_);
    if (code != 0) return 0;
    const ssize_t count = send(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0) return static_cast<std::size_t>(count);
    code = errno;
    if (code != EAGAIN && code != EINTR) return 0;
  }
}

void TimedSocket::end() noexcept {
  if (shutdown(socket_, SHUT_WR) != 0) return;
  expire_after(kFarewell);
  std::array<std::byte, 4096> unread{};
  int code = 0;
  while (read(unread, code) > 0) {
  }
}

}  // namespace facepipe::app
