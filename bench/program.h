// Contains the code of main() for measurements that parse their own command line.
#pragma once

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/geometry.h"

namespace facepipe::bench {

/// Parses WIDTHxHEIGHT. Throws std::invalid_argument for any other text, and if width or height is
/// below 1.
inline Size size_of(const std::string& text) {
  Size size;
  int end = 0;
  if (std::sscanf(text.c_str(), "%dx%d%n", &size.width, &size.height, &end) != 2 ||
      end != static_cast<int>(text.size()) || size.width < 1 || size.height < 1)
    throw std::invalid_argument("no size: " + text);
  return size;
}

/// Calls measure(words), and returns the exit code that it returns. Prints an exception's text
/// after `name`.
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
