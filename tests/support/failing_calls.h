// Runs facepipe with the library failing_calls.cpp, which makes a system call of facepipe fail.
#pragma once

#include <string>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/sanitized.h"

namespace facepipe::test {

/// Is true if run_failing() works in this build. With sanitizers, run_failing() doesn't work,
/// because sanitizers intercept the same system calls as failing_calls.cpp.
inline constexpr bool kCanFailCalls = !kSanitized;

enum class Failing { once, from_then_on };

/// Runs facepipe and makes a system call fail. After 30 seconds facepipe is stopped, and the exit
/// code is 124.
/// @param fault  "CALL FROM NTH DO"; failing_calls.cpp explains these words
[[nodiscard]] inline CommandResult run_failing(const std::string& fault,
                                               std::vector<std::string> arguments,
                                               Failing how = Failing::once) {
  std::vector<std::string> command{"timeout",
                                   "--kill-after=5",
                                   "30",
                                   "env",
                                   std::string("LD_PRELOAD=") + FACEPIPE_FAILING_CALLS,
                                   "FACEPIPE_FAIL=" + fault};
  if (how == Failing::from_then_on) command.emplace_back("FACEPIPE_FAIL_ON=1");
  command.emplace_back(FACEPIPE_PROGRAM);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_command(command);
}

}  // namespace facepipe::test
