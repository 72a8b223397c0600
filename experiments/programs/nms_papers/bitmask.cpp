#include <functional>
#include <span>
#include <stdexcept>

#include "bench/device_times.h"
#include "bench/nms_cuda/set_results.h"
#include "core/cuda/stream.h"
#include "experiments/programs/nms_papers/bitmask_nms.h"
#include "experiments/programs/nms_papers/host_times.h"
#include "experiments/programs/nms_papers/measures.h"
#include "experiments/programs/nms_papers/printed_bitmask.h"
#include "tests/nms/cuda/device_nms.h"

namespace facepipe::nms_papers {
namespace {

std::vector<std::uint32_t> kept_by_greedy(const Set& set) {
  test::DeviceNms device(bench::greedy_options(set), bench::capacity_for(set.candidates.size()));
  return device.run({set.candidates.boxes, set.candidates.scores}).indices;
}

/// The set must already be ranked in `nms`.
void time_set(const Set& set, BitmaskNms& nms, int replays) {
  const auto& [name, boxes, scores] = set.candidates;
  const cuda::Stream stream;
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

/// Measures the suppression as it is printed: all steps of a call except the ranking.
void time_printed_set(const Set& set, std::span<const RankedBox> ranked, int replays) {
  const cuda::Stream stream;
  const cuda::DeviceBuffer<std::int32_t> indices(ranked.size());
  const cuda::DeviceBuffer<std::int32_t> count(1);
  const auto call = [&] {
    printed_bitmask_nms({indices.data(), count.data()}, ranked, set.threshold);
  };
  call();
  std::int32_t kept = 0;
  cuda::copy(std::span(&kept, 1), count.span(), stream);
  const cuda::DeviceBuffer<RankedBox> on_device(ranked.size());
  const cuda::DeviceBuffer<std::uint64_t> mask(ranked.size() * words_of(ranked.size()));
  cuda::copy(on_device.span(), ranked, stream);
  stream.synchronize();
  const auto show = [&](const char* who, const std::vector<float>& times) {
    bench::show(who, set, static_cast<std::size_t>(kept), times);
  };
  show("bitmask as printed kernel",
       bench::microseconds_of_calls(stream, bench::kWarmUp, replays, [&] {
         launch_printed_bitmask({static_cast<std::uint32_t>(ranked.size()), set.threshold,
                                 on_device.data(), mask.data()},
                                stream.view().get());
       }));
  show("bitmask as printed allocation",
       microseconds_on_host(replays, [&] { allocate_for_printed_bitmask(ranked.size()); }));
  show("bitmask as printed together", microseconds_on_host(replays, call));
}

}  // namespace

void time_bitmask(const std::vector<Set>& sets, const Command& command) {
  for (const Set& set : sets) {
    BitmaskNms nms(set.candidates.size(), set.threshold);
    nms.rank(set.candidates.boxes, set.candidates.scores);
    time_set(set, nms, command.replays);
    time_printed_set(set, nms.ranked(), command.replays);
  }
}

}  // namespace facepipe::nms_papers
