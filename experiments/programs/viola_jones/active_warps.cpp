#include "experiments/programs/viola_jones/active_warps.h"

#include <algorithm>
#include <map>
#include <vector>

namespace facepipe::viola_jones {
namespace {

using OfMultiprocessors = std::map<std::int64_t, std::vector<WarpTime>>;

OfMultiprocessors by_multiprocessor(std::span<const WarpTime> times) {
  OfMultiprocessors sorted;
  for (const WarpTime& time : times) sorted[time.multiprocessor].push_back(time);
  return sorted;
}

/// Returns the cycles in which at least one of the warps is active.
std::int64_t cycles_of_any(std::vector<WarpTime> times) {
  std::sort(times.begin(), times.end(),
            [](const WarpTime& a, const WarpTime& b) { return a.begin < b.begin; });
  std::int64_t cycles = 0;
  std::int64_t end = times.front().begin;
  for (const WarpTime& time : times) {
    cycles += std::max<std::int64_t>(0, time.end - std::max(time.begin, end));
    end = std::max(end, time.end);
  }
  return cycles;
}

}  // namespace

double active_warps(std::span<const WarpTime> times) {
  std::int64_t of_warps = 0;
  std::int64_t active = 0;
  for (const WarpTime& time : times) of_warps += time.end - time.begin;
  for (const auto& [multiprocessor, there] : by_multiprocessor(times))
    active += cycles_of_any(there);
  return active > 0 ? static_cast<double>(of_warps) / static_cast<double>(active) : 0;
}

std::size_t multiprocessors_used(std::span<const WarpTime> times) {
  return by_multiprocessor(times).size();
}

}  // namespace facepipe::viola_jones
