#include <algorithm>
#include <stdexcept>
#include <string>

#include "bench/device_times.h"
#include "bench/nms_cuda/set_results.h"
#include "experiments/programs/nms_papers/device_pairs.h"
#include "experiments/programs/nms_papers/measures.h"
#include "experiments/programs/nms_papers/pair_nms.h"
#include "experiments/programs/nms_papers/variations.h"

namespace facepipe::nms_papers {
namespace {

/// Measures one rule with one kind of removers.
template <class Rule>
void time_rule(const std::string& who, const Set& set, int replays, DevicePairs& device,
               const Rule& on_host, Removers removers) {
  const auto& [name, boxes, scores] = set.candidates;
  const std::vector<std::uint32_t> kept = device.run(on_host, boxes, scores, removers);
  PairNms host;
  const auto expected = host.run(on_host, boxes, scores, removers);
  if (!std::equal(kept.begin(), kept.end(), expected.begin(), expected.end()))
    throw std::runtime_error(who + ": keeps other candidates than the CPU of " + set.name);
  bench::show(who, set, kept.size(),
              bench::microseconds_of_calls(device.stream(), bench::kWarmUp, replays,
                                           [&] { device.launch(); }));
}

}  // namespace

void time_variations(const std::vector<Set>& sets, const Command& command, const Place& place) {
  for (const Set& set : sets)
    with_variations(set, [&](const std::string& who, const auto& rule, Removers removers) {
      DevicePairs device(bench::capacity_for(set.candidates.size()));
      time_rule(who + place.words, set, command.replays, device, rule, removers);
    });
}

}  // namespace facepipe::nms_papers
