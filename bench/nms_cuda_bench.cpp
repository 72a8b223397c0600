// Suppression on a CUDA device: graph replays, timed by events on the device.
//
//   bench_nms_cuda write FOLDER     writes the sets of tests/support/nms_cases.h in two orders, and
//                                   lists them on standard output
//   bench_nms_cuda run LIST         greedy on each set that the file LIST names
//   bench_nms_cuda rules LIST       the other rules, on sets of up to 4,096
//   bench_nms_cuda matrix LIST      the matrix' map and reduce kernels apart, for each k: "map k
//                                   32", "reduce k 32", "both k 32"; D_max is 4,096, or less where
//                                   D_max / k <= 1,024 threads ask for it: "map k 2 D_max 2048".
//                                   Sets of more candidates are left out, which standard error
//                                   tells
//   bench_nms_cuda cores LIST       the matrix (k 32) and greedy on 8, 16, 24, 32, 48, 64, 96 ...
//                                   all multiprocessors, by green contexts: "greedy on 8
//                                   multiprocessors", "map k 32 on 8 multiprocessors"
//   bench_nms_cuda bitmask LIST     R-CNN's bitmask suppression (nms_cuda/bitmask_nms.h): "bitmask
//                                   kernel", "bitmask copy" (of the mask to the host), "bitmask
//                                   host" (the reduction); "bitmask together": candidates to the
//                                   device, these three, kept ones to the device; "bitmask sort":
//                                   the ranking on the host, which comes before and is in none of
//                                   them. All but the kernel by the host's clock. An error where it
//                                   keeps other candidates than greedy
//   bench_nms_cuda once LIST RULE   one replay of each set, for a profiler
//
//   --replays N   calls timed for each line, after ten that warm up: 1..100000 (200); not with
//                 write and once
//   --k K,K...    partitions of the matrix' reduction, each 1..4096: with matrix (1,2,4,8 ... 128)
//                 and cores (32)
//
// A line of the list: name, order, threshold, file (see nms_files.h); parted by tabs. A line of the
// results: who, name, order, kept, and the times of single replays in microseconds; parted by tabs.
#include <cstdio>
#include <string>
#include <vector>

#include "bench/device_times.h"
#include "bench/nms_cuda/command.h"
#include "bench/nms_cuda/measures.h"
#include "bench/nms_cuda/sets.h"
#include "bench/program.h"
#include "tests/nms/cuda/device_nms.h"

namespace facepipe::nms_bench {

void time_suppression(const std::string& who, const nms::NmsOptions& options, const Set& set,
                      int replays, std::uint32_t multiprocessors) {
  test::DeviceNms device(options, capacity_for(set.candidates.size()), multiprocessors);
  const test::DeviceResult result = device.run({set.candidates.boxes, set.candidates.scores});
  show(who, set, result.indices.size(),
       microseconds_of_calls(device.stream(), kWarmUp, replays, [&] { device.launch(); }));
}

namespace {

void run(const std::vector<Set>& sets, int replays) {
  for (const Set& set : sets) {
    nms::NmsOptions options;
    options.threshold = set.threshold;
    time_suppression("greedy", options, set, replays);
  }
}

struct NamedOptions {
  const char* name;
  nms::NmsOptions options;
};

std::vector<NamedOptions> other_rules(float threshold) {
  nms::NmsOptions base;
  base.threshold = threshold;
  std::vector<NamedOptions> out(6, NamedOptions{"", base});
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
    for (const NamedOptions& rule : other_rules(set.threshold))
      time_suppression(rule.name, rule.options, set, replays);
  }
}

void once(const std::vector<Set>& sets, const std::string& rule) {
  for (const Set& set : sets) {
    nms::NmsOptions options;
    options.threshold = set.threshold;
    for (const NamedOptions& other : other_rules(set.threshold))
      if (rule == other.name) options = other.options;
    test::DeviceNms device(options, capacity_for(set.candidates.size()));
    const test::DeviceResult result = device.run({set.candidates.boxes, set.candidates.scores});
    std::printf("%s, %s: %zu kept\n", set.name.c_str(), set.order.c_str(), result.indices.size());
  }
}

int bench(const std::vector<std::string>& words) {
  const Command command = parse_command(words);
  if (command.verb == "write") {
    write_sets(command.path);
    return 0;
  }
  const std::vector<Set> sets = read_list(command.path);
  if (command.verb == "run") run(sets, command.replays);
  if (command.verb == "rules") run_rules(sets, command.replays);
  if (command.verb == "matrix") time_matrix(sets, command.ks, command.replays);
  if (command.verb == "cores") time_cores(sets, command.ks, command.replays);
  if (command.verb == "bitmask") time_bitmask(sets, command.replays);
  if (command.verb == "once") once(sets, command.rule);
  return 0;
}

}  // namespace
}  // namespace facepipe::nms_bench

int main(int argc, char** argv) {
  return facepipe::run_measurement("bench_nms_cuda", argc, argv, facepipe::nms_bench::bench);
}
