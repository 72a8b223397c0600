#include "experiments/programs/nms_papers/cpu_measures.h"

#include <functional>
#include <string>

#include "bench/nms_cuda/set_results.h"
#include "experiments/programs/hardware/cpu_energy.h"
#include "experiments/programs/nms_papers/energy_loops.h"
#include "experiments/programs/nms_papers/host_times.h"
#include "experiments/programs/nms_papers/pair_nms.h"
#include "experiments/programs/nms_papers/rcnn_nms.h"
#include "experiments/programs/nms_papers/variations.h"
#include "nms/cpu/suppressor.h"

namespace facepipe::nms_papers {
namespace {

/// Measures calls that return the number of kept candidates.
void show_calls(const std::string& who, const bench::Set& set, int calls,
                const std::function<std::size_t()>& call) {
  std::size_t kept = 0;
  const std::vector<float> times = microseconds_on_host(calls, [&] { kept = call(); });
  bench::show(who, set, kept, times);
}

std::size_t rcnn_kept(const bench::Set& set) {
  return rcnn_nms(set.candidates.boxes, set.candidates.scores, set.threshold).size();
}

void measure_energy_of(const bench::Set& set, double seconds, experiments::CpuEnergy& counter) {
  const auto joules = [&] { return counter.joules(); };
  const auto measure = [&](const std::string& who, const std::function<std::size_t()>& call) {
    const std::size_t kept = call();
    show_energy(who, set, kept,
                energy_of(
                    seconds,
                    [&] {
                      static_cast<void>(call());
                      return std::uint64_t{1};
                    },
                    joules));
  };
  const auto measure_rule = [&](const std::string& who, nms::NmsRule rule) {
    nms::NmsOptions options = bench::greedy_options(set);
    options.rule = rule;
    nms::CpuSuppressor suppressor(options, bench::capacity_for(set.candidates.size()));
    measure(who, [&] {
      return suppressor.run({set.candidates.boxes, set.candidates.scores}).indices.size();
    });
  };
  show_energy("idle", set, 0, energy_at_rest(seconds, joules));
  measure_rule("greedy", nms::NmsRule::greedy);
  measure_rule("fast", nms::NmsRule::fast);
  measure("cpu_nms of R-CNN", [&] { return rcnn_kept(set); });
  show_energy("idle", set, 0, energy_at_rest(seconds, joules));
}

}  // namespace

void time_rcnn(const std::vector<bench::Set>& sets, const bench::Command& command) {
  for (const bench::Set& set : sets)
    show_calls("cpu_nms of R-CNN", set, command.replays, [&] { return rcnn_kept(set); });
}

void time_variations_on_cpu(const std::vector<bench::Set>& sets, const bench::Command& command) {
  for (const bench::Set& set : sets)
    with_variations(set, [&](const std::string& who, const auto& rule, Removers removers) {
      PairNms nms;
      show_calls(who, set, command.replays, [&] {
        return nms.run(rule, set.candidates.boxes, set.candidates.scores, removers).size();
      });
    });
}

void measure_energy_on_cpu(const std::vector<bench::Set>& sets, const bench::Command& command) {
  experiments::CpuEnergy counter;
  for (const bench::Set& set : sets) measure_energy_of(set, command.seconds, counter);
}

}  // namespace facepipe::nms_papers
