// What main() does in measurements that have a command line of their own.
#pragma once

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/geometry.h"

namespace facepipe::bench {

/// Reads WIDTHxHEIGHT, both over 0. Throws std::invalid_argument for any other text.
inline Size size_of(const std::string& text) {
  Size size;
  int end = 0;
  if (std::sscanf(text.c_str(), "%dx%d%n", &size.width, &size.height, &end) != 2 ||
      end != static_cast<int>(text.size()) || size.width < 1 || size.height < 1)
    throw std::invalid_argument("no size: " + text);
  return size;
}

/// Calls measure(words), which returns the exit code. Reports an exception under `name`.
template <class Measure>
int run_measurement(const char* name, int argc, char** argv, Measure&& measure) {
  try {
    return measure(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", name, failure.what());
    return 1;
  }
}

}  // namespace facepipe::bench
