// What main() does in measurements with a command line of their own.
#pragma once

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace facepipe {

/// Calls measure(words), which returns the exit code; an exception is told as `name`'s.
template <class Measure>
int run_measurement(const char* name, int argc, char** argv, Measure&& measure) {
  try {
    return measure(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", name, failure.what());
    return 1;
  }
}

}  // namespace facepipe
