// Runs the program as it is built.
#pragma once

#include <string>
#include <vector>

#include "tests/support/clips.h"

namespace facepipe::test {

using Arguments = std::vector<std::string>;

/// The words of both, `more` behind `first`.
[[nodiscard]] inline Arguments joined(Arguments first, const Arguments& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

/// The program's name and these words behind it, as run_command() takes them.
[[nodiscard]] inline Arguments program(const Arguments& words) {
  return joined({FACEPIPE_PROGRAM}, words);
}

[[nodiscard]] inline CommandResult run_program(const Arguments& words) {
  return run_command(program(words));
}

}  // namespace facepipe::test
