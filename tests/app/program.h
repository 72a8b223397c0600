// Runs the program that the build has made.
#pragma once

#include <string>
#include <vector>

#include "tests/support/clips.h"

namespace facepipe::test {

using Arguments = std::vector<std::string>;

/// Returns the words of `first`, followed by those of `more`.
[[nodiscard]] inline Arguments joined(Arguments first, const Arguments& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

/// Returns the program's path and these words, in the form that run_command() needs.
[[nodiscard]] inline Arguments program(const Arguments& words) {
  return joined({FACEPIPE_PROGRAM}, words);
}

[[nodiscard]] inline CommandResult run_program(const Arguments& words) {
  return run_command(program(words));
}

}  // namespace facepipe::test
