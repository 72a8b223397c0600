// Makes a line and an exit code of what was thrown. Here is the one catch for "one input among
// several", and what happens if an exception has nowhere to go (in a library's thread, a
// destructor, or C code).
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

namespace facepipe::app {

/// The program's exit codes that belong to no ErrorKind.
inline constexpr int kExitDone = 0;
inline constexpr int kExitDamaged = 6;
inline constexpr int kExitLeak = 7;
inline constexpr int kExitInterrupted = 130;

/// Why something ended without a result.
struct Failure {
  int code = 1;  ///< an exit code of the program
  std::string message;
};

/// Runs `work`. Returns nullopt if it returned, else what it threw, as one line that names `name`.
/// An empty name puts nothing in front.
[[nodiscard]] std::optional<Failure> attempt(const std::string& name,
                                             const std::function<void()>& work);

/// Returns what went wrong, in words for a user: an exception's own text in one line, or "out of
/// memory" or "can't start a thread" if it means that.
[[nodiscard]] std::string reason_of(const std::exception& error);

/// Changes what std::terminate() does: it prints one line with the current exception's text, runs
/// the hook of at_terminate(), and ends the program with exit code 1 at once. Nothing is unwound
/// and no destructor runs, but nobody waits for ever and no core is dumped. The same happens at
/// std::abort(), which libraries call that have their own C++ runtime or check themselves, and at
/// the faults of which a process dies (such as SIGSEGV), unless somebody else handles their
/// signals. Called first in main(). Other threads go on until the program has ended.
void install_last_resort();

/// Sets the hook that removes what must not stay. It is called at most once, on the thread that
/// failed, which may hold any lock and may have no memory left. So it must neither lock nor
/// allocate nor throw. A later call replaces it; nullptr removes it. Thread-safe.
void at_terminate(void (*hook)());

}  // namespace facepipe::app
