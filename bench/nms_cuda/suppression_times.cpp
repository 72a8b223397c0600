#include "bench/nms_cuda/suppression_times.h"

#include "bench/device_times.h"
#include "tests/nms/cuda/device_nms.h"

namespace facepipe::bench {

void time_suppression(const std::string& who, const nms::NmsOptions& options, const Set& set,
                      int replays, std::uint32_t multiprocessors) {
  test::DeviceNms device(options, capacity_for(set.candidates.size()), multiprocessors);
  const test::DeviceResult result = device.run({set.candidates.boxes, set.candidates.scores});
  show(who, set, result.indices.size(),
       microseconds_of_calls(device.stream(), kWarmUp, replays, [&] { device.launch(); }));
}

}  // namespace facepipe::bench
