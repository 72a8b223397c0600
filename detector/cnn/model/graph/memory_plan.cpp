#include "detector/cnn/model/graph/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace facepipe::detector::graph {
namespace {

std::size_t aligned(std::size_t bytes) {
  return (bytes + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment;
}

bool meet(const Lifetime& a, const Lifetime& b) { return a.first <= b.last && b.first <= a.last; }

}  // namespace

MemoryPlan plan_memory(std::span<const Lifetime> lifetimes) {
  std::vector<std::size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return lifetimes[a].bytes > lifetimes[b].bytes;
  });
  MemoryPlan plan{std::vector<std::size_t>(lifetimes.size()), 0};
  std::vector<std::size_t> placed;  // sorted by offset
  for (const std::size_t i : order) {
    const std::size_t bytes = aligned(lifetimes[i].bytes);
    std::size_t offset = 0;
    for (const std::size_t other : placed) {
      if (!meet(lifetimes[i], lifetimes[other])) continue;
      if (plan.offsets[other] >= offset + bytes) break;
      offset = std::max(offset, plan.offsets[other] + aligned(lifetimes[other].bytes));
    }
    plan.offsets[i] = offset;
    plan.bytes = std::max(plan.bytes, offset + bytes);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), offset,
                                   [&](std::size_t value, std::size_t other) {
                                     return value < plan.offsets[other];
                                   }),
                  i);
  }
  return plan;
}

}  // namespace facepipe::detector::graph
