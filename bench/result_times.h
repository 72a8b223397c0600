// Says how many calls come before a measurement, and prints its times.
#pragma once

#include <cstdio>
#include <vector>

namespace facepipe::bench {

/// The number of calls before each measurement that don't count.
inline constexpr int kWarmUp = 10;

/// Ends a line of results with times, each behind a tab.
inline void show_times(const std::vector<float>& times) {
  for (const float time : times) std::printf("\t%.2f", static_cast<double>(time));
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace facepipe::bench
