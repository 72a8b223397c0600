// Prints the times of a measurement.
#pragma once

#include <cstdio>
#include <vector>

namespace facepipe::bench {

/// The number of calls before each measurement that don't count.
inline constexpr int kWarmUp = 10;

/// Prints times, each after a tab, and ends the line of results.
inline void show_times(const std::vector<float>& times) {
  for (const float time : times) std::printf("\t%.2f", static_cast<double>(time));
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace facepipe::bench
