// Measures the papers' methods of suppression on one core, with the host's clock.
//
//   bench_nms_papers_cpu rcnn LIST        R-CNN's cpu_nms.pyx, in C++ (nms_papers/rcnn_nms.h)
//   bench_nms_papers_cpu variations LIST  Adaptive-NMS and FeatureNMS (nms_papers/pair_rules.h) on
//                                         made-up densities and features, greedy and "as a matrix"
//   bench_nms_papers_cpu energy LIST      joules by RAPL's counters in loops of calls. A line has
//                                         who, name, order, kept, calls, seconds and joules; "idle"
//                                         has no calls. It is an error if no counter can be read
//
//   --replays N   number of timed calls for each line, after ten calls that don't count: 1..100000
//                 (200). Not with energy
//   --seconds S   with energy: seconds that a loop takes: 0.01..60 (2)
//
// Lists and lines of the results are those of bench_nms_cuda (bench/nms_cuda_bench.cpp).
#include <string>
#include <vector>

#include "bench/nms_cuda/command.h"
#include "bench/nms_cuda/sets.h"
#include "bench/program.h"
#include "experiments/programs/nms_papers/cpu_measures.h"
#include "experiments/programs/nms_papers/verbs.h"

namespace facepipe::nms_papers {
namespace {

int measure(const std::vector<std::string>& words) {
  const bench::Command command = bench::parse_command(papers_cpu_verbs(), words);
  const std::vector<bench::Set> sets = bench::read_list(command.path);
  if (command.verb == "rcnn") time_rcnn(sets, command);
  if (command.verb == "variations") time_variations_on_cpu(sets, command);
  if (command.verb == "energy") measure_energy_on_cpu(sets, command);
  return 0;
}

}  // namespace
}  // namespace facepipe::nms_papers

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_nms_papers_cpu", argc, argv,
                                          facepipe::nms_papers::measure);
}
