#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/nms_cuda/suppression_times.h"
#include "experiments/programs/nms_papers/graph_times.h"
#include "experiments/programs/nms_papers/grid_matrix.h"
#include "experiments/programs/nms_papers/matrix_options.h"
#include "experiments/programs/nms_papers/measures.h"
#include "tests/nms/cuda/device_nms.h"

namespace facepipe::nms_papers {
namespace {

void time_set(const Set& set, const nms::NmsOptions& options, int replays, const Place& place) {
  test::DeviceNms device(options, options.matrix.d_max, place.multiprocessors);
  const test::DeviceResult result = device.run({set.candidates.boxes, set.candidates.scores});
  const auto timed = [&](const std::string& part, const std::function<void()>& enqueue) {
    show_graph({words_before(options) + part + words_after(options) + place.words, set,
                result.indices.size()},
               device.stream(), replays, enqueue);
  };
  const auto map = [&] { device.suppressor().enqueue_map(device.candidates(), device.stream()); };
  const auto reduce = [&] {
    device.suppressor().enqueue_reduce(device.candidates(), device.stream());
  };
  timed("map", map);
  timed("reduce", reduce);
  timed("both", [&] {
    map();
    reduce();
  });
}

/// The DeviceNms has the rule `matrix`. Its candidates are also those of the GridMatrix.
void time_grid_set(const Set& set, const nms::NmsOptions& options, int replays,
                   const Place& place) {
  test::DeviceNms device(options, options.matrix.d_max, place.multiprocessors);
  const test::DeviceResult result = device.run({set.candidates.boxes, set.candidates.scores});
  GridMatrix grid(options, place.multiprocessors);
  const auto enqueue = [&] { grid.enqueue(device.candidates(), device.stream()); };
  enqueue();
  std::vector<std::uint32_t> expected = result.indices;
  std::sort(expected.begin(), expected.end());
  if (grid.kept(static_cast<std::uint32_t>(set.candidates.size()), device.stream()) != expected)
    throw std::runtime_error("grid: keeps other candidates than the matrix of " + set.name);
  show_graph({words_before(options) + "fused both" + words_after(options) + place.words, set,
              result.indices.size()},
             device.stream(), replays, enqueue);
}

using TimeSet = void (*)(const Set&, const nms::NmsOptions&, int, const Place&);

void time_sets(const std::vector<Set>& sets, const Command& command, const Place& place,
               TimeSet time) {
  for (const std::uint32_t k : command.ks) {
    nms::NmsOptions options = matrix_options(k, command.as_published);
    note_left_out(sets, options.matrix.d_max);
    for (const Set& set : sets) {
      if (set.candidates.size() > options.matrix.d_max) continue;
      options.threshold = set.threshold;
      time(set, options, command.replays, place);
    }
  }
}

}  // namespace

void time_matrix(const std::vector<Set>& sets, const Command& command, const Place& place) {
  time_sets(sets, command, place, time_set);
}

void time_grid_matrix(const std::vector<Set>& sets, const Command& command, const Place& place) {
  time_sets(sets, command, place, time_grid_set);
}

void time_cores(const std::vector<Set>& sets, const Command& command, const Place& place) {
  time_matrix(sets, command, place);
  for (const Set& set : sets)
    bench::time_suppression("greedy" + place.words, bench::greedy_options(set), set,
                            command.replays, place.multiprocessors);
}

}  // namespace facepipe::nms_papers
