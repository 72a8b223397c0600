#include <functional>
#include <string>

#include "bench/nms_cuda/set_results.h"
#include "core/cuda/graph.h"
#include "experiments/programs/hardware/device_energy.h"
#include "experiments/programs/nms_papers/energy_loops.h"
#include "experiments/programs/nms_papers/grid_matrix.h"
#include "experiments/programs/nms_papers/matrix_options.h"
#include "experiments/programs/nms_papers/measures.h"
#include "experiments/programs/nms_papers/printed_nms.h"
#include "tests/nms/cuda/device_nms.h"

namespace facepipe::nms_papers {
namespace {

constexpr std::uint64_t kCallsInARow = 200;  // number of calls between two waits of the host

class EnergyOfSet {
 public:
  EnergyOfSet(const Set& set, double seconds, const experiments::DeviceEnergy& counter)
      : set_(set), seconds_(seconds), counter_(counter) {}

  void measure_rest() {
    show_energy("idle", set_, 0, energy_at_rest(seconds_, [&] { return counter_.joules(); }));
  }

  /// Measures a rule of facepipe, from candidates to kept candidates in rank order.
  void measure_rule(const std::string& who, nms::NmsRule rule) {
    nms::NmsOptions options = bench::greedy_options(set_);
    options.rule = rule;
    test::DeviceNms device(options, bench::capacity_for(set_.candidates.size()));
    const auto kept = device.run({set_.candidates.boxes, set_.candidates.scores}).indices.size();
    measure(who, kept, device.stream(), [&] { device.launch(); });
  }

  /// Measures only the papers' two kernels, without making a list of the kept candidates.
  void measure_matrix(std::uint32_t k, bool as_published) {
    nms::NmsOptions options = matrix_options(k, as_published);
    options.threshold = set_.threshold;
    test::DeviceNms device(options, options.matrix.d_max);
    const auto kept = device.run({set_.candidates.boxes, set_.candidates.scores}).indices.size();
    const cuda::GraphExec both(cuda::capture(device.stream(), [&] {
      device.suppressor().enqueue_map(device.candidates(), device.stream());
      device.suppressor().enqueue_reduce(device.candidates(), device.stream());
    }));
    measure(words_before(options) + "both" + words_after(options), kept, device.stream(),
            [&] { both.launch(device.stream()); });
    GridMatrix grid(options);
    const cuda::GraphExec one(cuda::capture(
        device.stream(), [&] { grid.enqueue(device.candidates(), device.stream()); }));
    measure(words_before(options) + "fused both" + words_after(options), kept, device.stream(),
            [&] { one.launch(device.stream()); });
  }

  void measure_printed(std::uint32_t k) {
    const cuda::Stream stream;
    PrintedNms nms(kPublishedDMax, set_.threshold);
    nms.upload(set_.candidates.boxes, set_.candidates.scores, stream);
    const cuda::GraphExec all(cuda::capture(stream, [&] {
      nms.enqueue_memset(stream);
      nms.enqueue_map(nms.size(), kUsualBlockSide, MapShape::printed, stream);
      nms.enqueue_reduce(nms.size(), k, ReduceStep::printed, 0, stream);
    }));
    all.launch(stream);
    measure("printed all k " + std::to_string(k), nms.kept(stream).size(), stream,
            [&] { all.launch(stream); });
  }

 private:
  void measure(const std::string& who, std::size_t kept, const cuda::Stream& stream,
               const std::function<void()>& launch) {
    const auto calls = [&] {
      for (std::uint64_t i = 0; i < kCallsInARow; ++i) launch();
      stream.synchronize();
      return kCallsInARow;
    };
    static_cast<void>(calls());  // these calls don't count
    show_energy(who, set_, kept, energy_of(seconds_, calls, [&] { return counter_.joules(); }));
  }

  const Set& set_;
  double seconds_;
  const experiments::DeviceEnergy& counter_;
};

}  // namespace

void measure_energy(const std::vector<Set>& sets, const Command& command) {
  const experiments::DeviceEnergy counter;
  note_left_out(sets, kPublishedDMax);
  for (const Set& set : sets) {
    if (set.candidates.size() > kPublishedDMax) continue;
    EnergyOfSet energy(set, command.seconds, counter);
    energy.measure_rest();
    energy.measure_rule("greedy", nms::NmsRule::greedy);
    energy.measure_rule("fast", nms::NmsRule::fast);
    for (const std::uint32_t k : command.ks) {
      energy.measure_matrix(k, false);
      energy.measure_matrix(k, true);
      energy.measure_printed(k);
    }
    energy.measure_rest();
  }
}

}  // namespace facepipe::nms_papers
