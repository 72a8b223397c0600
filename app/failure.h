// Converts exceptions to a line and an exit code. Only attempt() catches the error of one input so
// that a run can continue with its other inputs. install_last_resort() handles exceptions that
// nobody can catch (in a library's thread, in a destructor, or in C code).
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

namespace facepipe::app {

/// Exit codes of the program that belong to no ErrorKind.
inline constexpr int kExitDone = 0;
inline constexpr int kExitDamaged = 6;
inline constexpr int kExitLeak = 7;
inline constexpr int kExitInterrupted = 130;
inline constexpr int kExitTryAgain = 75;     ///< only of a task; EX_TEMPFAIL of sysexits.h
inline constexpr int kExitTerminated = 143;  ///< only of a task; 128 + SIGTERM

/// Says why something ended without a result.
struct Failure {
  int code = 1;  ///< an exit code of the program
  std::string message;
  bool passes = false;  ///< another attempt may succeed (PassingError)
};

/// Runs `work`. Returns nullopt if `work` returns. If `work` throws, returns the error as one line.
/// The line contains `name`, unless `name` is empty.
[[nodiscard]] std::optional<Failure> attempt(const std::string& name,
                                             const std::function<void()>& work);

/// Returns the exception's text in one line, for a user. Returns "out of memory" for
/// std::bad_alloc. If the system couldn't start a thread, the text begins with "can't start a
/// thread: ".
[[nodiscard]] std::string reason_of(const std::exception& error);

/// Changes what std::terminate() does. std::terminate() then prints one line with the current
/// exception's text, calls the hook of at_terminate(), and ends the program with exit code 1 at
/// once. The stack isn't unwound and no destructor runs, but the program neither hangs nor dumps
/// core. The same happens for std::abort(). (Libraries call std::abort() if they find an error in
/// themselves or have their own C++ runtime.) The same also happens for fatal faults (such as
/// SIGSEGV), unless there already is a handler for their signals. main() must call this function
/// first. Other threads continue until the program has ended.
void install_last_resort();

/// Sets the hook that removes unfinished outputs. The hook is called at most once, on the thread
/// that failed. This thread may hold any lock, and there may be no memory left. So the hook must
/// neither lock nor allocate nor throw. A later call of at_terminate() replaces the hook; nullptr
/// removes it. Thread-safe.
void at_terminate(void (*hook)());

}  // namespace facepipe::app
