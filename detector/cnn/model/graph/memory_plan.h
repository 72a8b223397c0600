// Plans the memory of values, which share one block. Values overlap only if their lifetimes don't
// overlap.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace facepipe::detector::graph {

/// Describes memory that is in use from step `first` to step `last`, both included.
struct Lifetime {
  std::size_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct MemoryPlan {
  std::vector<std::size_t> offsets;  ///< one for each lifetime, multiples of kMemoryAlignment
  std::size_t bytes = 0;             ///< size of the whole block
};

inline constexpr std::size_t kMemoryAlignment = 256;

/// Places the largest values first. Each value gets the lowest offset at which it overlaps no value
/// with an overlapping lifetime (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural
/// Net Inference", 2020: greedy by size).
[[nodiscard]] MemoryPlan plan_memory(std::span<const Lifetime> lifetimes);

}  // namespace facepipe::detector::graph
