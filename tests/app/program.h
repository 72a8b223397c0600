// Runs the built program.
#pragma once

#include <string>
#include <vector>

#include "tests/support/clips.h"

namespace facepipe::test {

using Arguments = std::vector<std::string>;

/// Returns the words of `first`, then those of `more`.
[[nodiscard]] inline Arguments joined(Arguments first, const Arguments& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

/// Returns the program's name and these words, as run_command() takes them.
[[nodiscard]] inline Arguments program(const Arguments& words) {
  return joined({FACEPIPE_PROGRAM}, words);
}

[[nodiscard]] inline CommandResult run_program(const Arguments& words) {
  return run_command(program(words));
}

}  // namespace facepipe::test
