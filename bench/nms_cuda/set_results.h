// Chooses the options and the capacity with which a set is measured, and prints a line of results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/nms_cuda/sets.h"
#include "nms/nms.h"

namespace facepipe::bench {

/// Returns the options of greedy suppression with the set's threshold.
[[nodiscard]] nms::NmsOptions greedy_options(const Set& set);

/// Returns the smallest of three capacities that has room for `count` candidates: 4096, 16384, or
/// the largest possible one.
[[nodiscard]] std::uint32_t capacity_for(std::size_t count);

/// Prints a line of results. `times` are in microseconds.
void show(const std::string& who, const Set& set, std::size_t kept,
          const std::vector<float>& times);

}  // namespace facepipe::bench
