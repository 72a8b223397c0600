// Prints the times of a line of results.
#pragma once

#include <cstdio>
#include <vector>

namespace facepipe::bench {

/// Ends a line of results with times, each behind a tab.
inline void show_times(const std::vector<float>& times) {
  for (const float time : times) std::printf("\t%.2f", static_cast<double>(time));
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace facepipe::bench
