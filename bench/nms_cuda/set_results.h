// The options and the capacity that a set is measured with, and the line of results about it.
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

/// Returns the least capacity for sets of that size, rounded as a user would choose it.
[[nodiscard]] std::uint32_t capacity_for(std::size_t count);

/// Prints a line of the results. Times are in microseconds.
void show(const std::string& who, const Set& set, std::size_t kept,
          const std::vector<float>& times);

}  // namespace facepipe::bench
