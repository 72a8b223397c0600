// Starts programs that tests stop or kill at a moment of their choice.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/app/program.h"

namespace facepipe::test {

/// Waits until reached() returns true. Returns false if it doesn't within a minute.
inline bool comes_true(const std::function<bool()>& reached) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!reached()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

/// Starts a program, and kills it if it still runs when the object ends.
class Started {
 public:
  explicit Started(Arguments words) : pid_(fork()) {
    if (pid_ != 0) return;
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  ~Started() {
    if (ended_) return;
    send(SIGKILL);
    static_cast<void>(exit_code());
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void send(int signal) const { kill(pid_, signal); }
  /// Waits for the end. Returns the exit code, or 128 plus the number of the signal.
  int exit_code() {
    int status = 0;
    waitpid(pid_, &status, 0);
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  const pid_t pid_;
  bool ended_ = false;
};

}  // namespace facepipe::test
