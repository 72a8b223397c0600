#include "app/stop_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "core/threads.h"

namespace facepipe::app {
namespace {

// A signal handler is allowed to do almost nothing. So it writes a byte to a pipe, from which a
// thread reads (the self-pipe trick).
std::array<int, 2> g_pipe{-1, -1};

constexpr char kSignal = 's';

bool send_signal() noexcept {
  const int before = errno;  // a handler must not change what the interrupted code sees
  const bool sent = write(g_pipe[1], &kSignal, 1) == 1;
  errno = before;
  return sent;
}

// 0 if SIGHUP was ignored when the program started, for example by nohup.
volatile std::sig_atomic_t g_hangup_counts = 0;

// The first signal that has requested a stop.
volatile std::sig_atomic_t g_stopped_by = 0;

bool is_ignored(int number) noexcept {
  struct sigaction now {};
  return sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void set_handlers(void (*handler)(int)) noexcept {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  if (g_hangup_counts != 0) sigaction(SIGHUP, &action, nullptr);
}

extern "C" void on_signal(int number) {
  set_handlers(SIG_DFL);  // the next signal ends the program at once
  if (g_stopped_by == 0) g_stopped_by = number;
  if (!send_signal()) raise(number);  // nobody listens, so the signal has its default effect
}

void listen(const std::stop_source& stop) noexcept {
  char message = 0;
  ssize_t got = 0;
  do got = read(g_pipe[0], &message, 1);
  while (got < 0 && errno == EINTR);
  if (got == 1) stop.request_stop();  // otherwise ~StopSignals() has closed the other end
}

}  // namespace

StopSignals::StopSignals() {
  g_stopped_by = 0;
  if (pipe2(g_pipe.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  listener_ = start_thread([stop = stop_] { listen(stop); });
  g_hangup_counts = is_ignored(SIGHUP) ? 0 : 1;
  set_handlers(on_signal);
}

StopSignals::~StopSignals() {
  set_handlers(SIG_DFL);
  // Closing the pipe ends the listener. This way, nothing must be written, which could fail.
  close(std::exchange(g_pipe[1], -1));
  listener_.join();
  close(std::exchange(g_pipe[0], -1));
}

int signal_that_stopped() noexcept { return g_stopped_by; }

}  // namespace facepipe::app
