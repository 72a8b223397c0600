#include "bench/nms_cuda/suppression_times.h"

#include <cstdio>

#include "bench/device_times.h"
#include "tests/nms/cuda/device_nms.h"

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

void time_suppression(const std::string& who, const nms::NmsOptions& options, const Set& set,
                      int replays, std::uint32_t multiprocessors) {
  test::DeviceNms device(options, capacity_for(set.candidates.size()), multiprocessors);
  const test::DeviceResult result = device.run({set.candidates.boxes, set.candidates.scores});
  show(who, set, result.indices.size(),
       microseconds_of_calls(device.stream(), kWarmUp, replays, [&] { device.launch(); }));
}

}  // namespace facepipe::bench
