#include "bench/nms_cuda/set_results.h"

#include <cstdio>

#include "bench/result_times.h"

namespace facepipe::bench {

nms::NmsOptions greedy_options(const Set& set) {
  nms::NmsOptions options;
  options.threshold = set.threshold;
  return options;
}

std::uint32_t capacity_for(std::size_t count) {
  for (const std::uint32_t capacity : {4096U, 16384U})
    if (count <= capacity) return capacity;
  return nms::kMaxNmsCapacity;
}

void show(const std::string& who, const Set& set, std::size_t kept,
          const std::vector<float>& times) {
  std::printf("%s\t%s\t%s\t%zu", who.c_str(), set.name.c_str(), set.order.c_str(), kept);
  show_times(times);
}

}  // namespace facepipe::bench
