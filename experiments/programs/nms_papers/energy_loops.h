// Repeats calls for some seconds, and reads an energy counter before and after them.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>

#include "bench/nms_cuda/sets.h"
#include "core/timing.h"

namespace facepipe::nms_papers {

/// The result of one loop.
struct Energy {
  std::uint64_t calls = 0;
  double seconds = 0;
  double joules = 0;
};

/// Calls `calls()` until `seconds` have passed. `calls()` must wait for its suppressions and return
/// their number. `joules()` reads the counter.
inline Energy energy_of(double seconds, const std::function<std::uint64_t()>& calls,
                        const std::function<double()>& joules) {
  Energy out;
  const double before = joules();
  const Clock::time_point begin = Clock::now();
  while (out.seconds < seconds) {
    out.calls += calls();
    out.seconds = in_seconds(Clock::now() - begin);
  }
  out.joules = joules() - before;
  return out;
}

/// Returns the energy in a time in which this process does nothing.
inline Energy energy_at_rest(double seconds, const std::function<double()>& joules) {
  Energy energy = energy_of(
      seconds,
      [&] {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        return std::uint64_t{1};
      },
      joules);
  energy.calls = 0;
  return energy;
}

/// Prints a line: who, name, order, kept, calls, seconds, joules.
inline void show_energy(const std::string& who, const bench::Set& set, std::size_t kept,
                        const Energy& energy) {
  std::printf("%s\t%s\t%s\t%zu\t%llu\t%.4f\t%.4f\n", who.c_str(), set.name.c_str(),
              set.order.c_str(), kept, static_cast<unsigned long long>(energy.calls),
              energy.seconds, energy.joules);
  std::fflush(stdout);
}

}  // namespace facepipe::nms_papers
