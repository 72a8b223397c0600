#include <chrono>
#include <functional>
#include <stdexcept>

#include "bench/device_times.h"
#include "bench/nms_cuda/suppression_times.h"
#include "core/cuda/stream.h"
#include "core/timing.h"
#include "experiments/programs/nms_papers/bitmask_nms.h"
#include "experiments/programs/nms_papers/measures.h"
#include "tests/nms/cuda/device_nms.h"

namespace facepipe::nms_papers {
namespace {

/// Measures calls that wait for what they enqueue.
std::vector<float> microseconds_on_host(int calls, const std::function<void()>& call) {
  for (int i = 0; i < bench::kWarmUp; ++i) call();
  std::vector<float> times;
  for (int i = 0; i < calls; ++i) {
    const Clock::time_point begin = Clock::now();
    call();
    times.push_back(std::chrono::duration<float, std::micro>(Clock::now() - begin).count());
  }
  return times;
}

std::vector<std::uint32_t> kept_by_greedy(const Set& set) {
  test::DeviceNms device(bench::greedy_options(set), bench::capacity_for(set.candidates.size()));
  return device.run({set.candidates.boxes, set.candidates.scores}).indices;
}

void time_set(const Set& set, int replays) {
  const auto& [name, boxes, scores] = set.candidates;
  const cuda::Stream stream;
  BitmaskNms nms(boxes.size(), set.threshold);
  nms.rank(boxes, scores);
  nms.run(stream);
  const std::vector<std::uint32_t> kept(nms.kept().begin(), nms.kept().end());
  if (kept != kept_by_greedy(set))
    throw std::runtime_error("bitmask: keeps other candidates than greedy of " + set.name + ", " +
                             set.order);
  const auto show_host = [&](const char* who, const std::function<void()>& call) {
    bench::show(who, set, kept.size(), microseconds_on_host(replays, call));
  };
  bench::show("bitmask kernel", set, kept.size(),
              bench::microseconds_of_calls(stream, bench::kWarmUp, replays,
                                           [&] { nms.enqueue_kernel(stream); }));
  show_host("bitmask copy", [&] { nms.copy_mask(stream); });
  show_host("bitmask host", [&] { nms.reduce(); });
  show_host("bitmask together", [&] { nms.run(stream); });
  show_host("bitmask sort", [&] { nms.rank(boxes, scores); });
}

}  // namespace

void time_bitmask(const std::vector<Set>& sets, int replays) {
  for (const Set& set : sets) time_set(set, replays);
}

}  // namespace facepipe::nms_papers
