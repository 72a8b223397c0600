// What was thrown becomes a line and an exit code: the one catch for "one input among several", and
// what is left where an exception has nowhere to go (in a library's thread, a destructor, or C
// code).
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

namespace facepipe::app {

/// The program's exit codes that are no ErrorKind.
inline constexpr int kExitDone = 0;
inline constexpr int kExitDamaged = 6;
inline constexpr int kExitLeak = 7;
inline constexpr int kExitInterrupted = 130;

/// Why something ended without a result.
struct Failure {
  int code = 1;  ///< an exit code of the program
  std::string message;
};

/// Runs `work`; nothing if it returned, else what it threw, told in one line that names
/// `name` (nothing is put in front where it is empty).
[[nodiscard]] std::optional<Failure> attempt(const std::string& name,
                                             const std::function<void()>& work);

/// What went wrong, in words for a user: an exception's own text, in one line, but "out of memory"
/// and "can't start a thread" where that is what it means.
[[nodiscard]] std::string reason_of(const std::exception& error);

/// From now on std::terminate() prints one line with the current exception's text, runs what
/// at_terminate() was given, and ends the program with exit code 1 at once: nothing is unwound and
/// no destructor runs, but nobody waits for ever and no core is dumped. So do std::abort(), which
/// libraries call that have a C++ runtime of their own or check themselves, and the faults of which
/// a process dies (SIGSEGV, for one), unless somebody else has asked for their signals. To be
/// called first in main(). Other threads go on until the program has ended.
void install_last_resort();

/// `hook` removes what must not stay: it is called at most once, on the thread that failed, which
/// may hold any lock and may have no memory left. So it must neither lock nor allocate nor throw.
/// A later call replaces it; nullptr takes it away. Thread-safe.
void at_terminate(void (*hook)());

}  // namespace facepipe::app
