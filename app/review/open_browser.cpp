#include "app/review/open_browser.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>

#include "core/write_all.h"

namespace facepipe::app {
namespace {

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// Returns what is written into a pipe, until its other end is closed.
std::string text_from(int pipe) {
  constexpr std::size_t kMostBytes = 4096;
  std::string text;
  std::array<char, 512> part{};
  while (text.size() < kMostBytes) {
    const ssize_t got = read(pipe, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

/// Is the process: waits for an address, and becomes the desktop's program that opens it.
[[noreturn]] void wait_for_address(int pipe, std::uint16_t port) {
  std::string address = text_from(pipe);
  if (!is_address_of_review(address, port)) _exit(0);
  // The browser's messages don't belong between ours.
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
  std::string program = "xdg-open";
  std::array<char*, 3> arguments{program.data(), address.data(), nullptr};
  execvp(program.c_str(), arguments.data());
  _exit(0);
}

}  // namespace

bool is_address_of_review(const std::string& address, std::uint16_t port) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/?=_-";
  const std::string begin = "http://127.0.0.1:" + std::to_string(port) + "/";
  return address.starts_with(begin) &&
         address.find_first_not_of(kLetters, begin.size()) == std::string::npos;
}

BrowserOpener::BrowserOpener(std::uint16_t port) {
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return;
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  process_ = fork();
  if (process_ == 0) {
    close(ends[1]);
    wait_for_address(ends[0], port);
  }
  close(ends[0]);
  to_process_ = ends[1];
}

BrowserOpener::~BrowserOpener() {
  close_pipe();
  // Nobody waits for a browser: the system forgets it when this program ends.
  if (process_ > 0 && !opened_) waitpid(process_, nullptr, 0);
}

void BrowserOpener::open(const std::string& address) {
  if (to_process_ < 0) return;
  opened_ = write_all(to_process_, std::as_bytes(std::span(address))) == 0;
  close_pipe();
}

void BrowserOpener::close_pipe() noexcept {
  if (to_process_ >= 0) close(std::exchange(to_process_, -1));
}

}  // namespace facepipe::app
