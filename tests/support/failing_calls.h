// The program under a library that lets one of its calls of the system fail (failing_calls.cpp).
#pragma once

#include <string>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/sanitized.h"

namespace facepipe::test {

/// Sanitizers take the same calls for themselves.
inline constexpr bool kCanFailCalls = !kSanitized;

enum class Failing { once, from_then_on };

/// Runs the program, for half a minute at most (exit code 124), where a call fails.
/// @param fault "CALL FROM NTH DO", as failing_calls.cpp has it
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
