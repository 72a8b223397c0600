// Runs facepipe with a library that makes one of its system calls fail (failing_calls.cpp).
#pragma once

#include <string>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/sanitized.h"

namespace facepipe::test {

/// This is false with sanitizers, because they intercept the same calls.
inline constexpr bool kCanFailCalls = !kSanitized;

enum class Failing { once, from_then_on };

/// Runs facepipe while a call fails. After 30 seconds it is stopped, and the exit code is 124.
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
