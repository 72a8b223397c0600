// Measures suppression on a CUDA device: replays a CUDA graph, and measures times with CUDA events.
//
//   bench_nms_cuda write FOLDER     writes the sets of tests/support/nms_cases.h in two orders, and
//                                   lists them on standard output
//   bench_nms_cuda run LIST         measures greedy suppression on each set that LIST names
//   bench_nms_cuda rules LIST       measures the other rules on sets of up to 4,096 candidates
//   bench_nms_cuda once LIST RULE   replays each set once, for a profiler
//
//   --replays N   measures N calls for each line, after ten calls that don't count: 1..100000
//                 (default: 200); not with write and once
//
// A line of the list has name, order, threshold and file (see nms_files.h). A line of the results
// has who, name, order, kept, and the times of single replays in microseconds. Tabs separate the
// columns.
#include <cstdio>
#include <string>
#include <vector>

#include "bench/nms_cuda/command.h"
#include "bench/nms_cuda/sets.h"
#include "bench/nms_cuda/suppression_times.h"
#include "bench/program.h"
#include "tests/nms/cuda/device_nms.h"

namespace facepipe::bench {
namespace {

void run(const std::vector<Set>& sets, int replays) {
  for (const Set& set : sets) time_suppression("greedy", greedy_options(set), set, replays);
}

struct NamedOptions {
  const char* name;
  nms::NmsOptions options;
};

std::vector<NamedOptions> other_rules(const Set& set) {
  std::vector<NamedOptions> out(6, NamedOptions{"", greedy_options(set)});
  out[0].name = "fast";
  out[0].options.rule = nms::NmsRule::fast;
  out[1].name = "matrix";
  out[1].options.rule = nms::NmsRule::matrix;
  out[2].name = "diou";
  out[2].options.overlap = nms::NmsOverlap::diou;
  out[3].name = "voting";
  out[3].options.voting = true;
  out[4].name = "soft linear";
  out[4].options.rule = nms::NmsRule::soft;
  out[4].options.soft.decay = nms::SoftDecay::linear;
  out[5].name = "soft gaussian";
  out[5].options.rule = nms::NmsRule::soft;
  return out;
}

void run_rules(const std::vector<Set>& sets, int replays) {
  for (const Set& set : sets) {
    if (set.candidates.size() > nms::MatrixOptions{}.d_max) continue;
    for (const NamedOptions& rule : other_rules(set))
      time_suppression(rule.name, rule.options, set, replays);
  }
}

void once(const std::vector<Set>& sets, const std::string& rule) {
  for (const Set& set : sets) {
    nms::NmsOptions options = greedy_options(set);
    for (const NamedOptions& other : other_rules(set))
      if (rule == other.name) options = other.options;
    test::DeviceNms device(options, capacity_for(set.candidates.size()));
    const test::DeviceResult result = device.run({set.candidates.boxes, set.candidates.scores});
    std::printf("%s, %s: %zu kept\n", set.name.c_str(), set.order.c_str(), result.indices.size());
  }
}

int bench(const std::vector<std::string>& words) {
  const Command command = parse_command(suppression_verbs(), words);
  if (command.verb == "write") {
    write_sets(command.path);
    return 0;
  }
  const std::vector<Set> sets = read_list(command.path);
  if (command.verb == "run") run(sets, command.replays);
  if (command.verb == "rules") run_rules(sets, command.replays);
  if (command.verb == "once") once(sets, command.rule);
  return 0;
}

}  // namespace
}  // namespace facepipe::bench

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_nms_cuda", argc, argv, facepipe::bench::bench);
}
