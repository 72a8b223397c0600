// Measures the papers' methods of suppression on a CUDA device: replays graphs, and measures times
// with CUDA events.
//
//   bench_nms_papers matrix LIST    the matrix' map and reduce kernels, for each k: "map k 32",
//                                   "reduce k 32", "both k 32". D_max is 4,096, or less if
//                                   D_max / k <= 1,024 threads requires it: "map k 2 D_max 2048".
//                                   Sets with more candidates are left out, and standard error
//                                   says so
//   bench_nms_papers grid LIST      map and reduce in one kernel whose blocks wait for each other:
//                                   "fused both k 32"
//   bench_nms_papers printed LIST   the kernels exactly as they are printed, on n rows, D_max
//                                   4,096: "printed memset", "printed map", and for each k "printed
//                                   reduce k 32", "printed both k 32" (map and reduce) and "printed
//                                   all k 32" (memset, map and reduce). It is an error if these
//                                   kernels keep other candidates than the same algorithm on the
//                                   host
//   bench_nms_papers steps LIST     the effect of each step from the printed kernels to ours: the
//                                   reductions "printed", "printed up to n", "printed ends early",
//                                   "printed capped" (at most 16 blocks for each multiprocessor),
//                                   "printed whole" (on D_max rows), and the maps "printed 32x32",
//                                   "printed coalesced", "printed whole"
//   bench_nms_papers cores LIST     the matrix and greedy on 8, 16, 24, 32, 40, 48, 64, 80, 96 ...
//                                   all multiprocessors, with green contexts: "greedy on 8
//                                   multiprocessors", "map k 32 on 8 multiprocessors"
//   bench_nms_papers bitmask LIST   the steps of R-CNN's bitmask suppression
//                                   (nms_papers/bitmask_nms.h): "bitmask kernel", "bitmask copy"
//                                   (of the mask to the host), "bitmask host" (the reduction).
//                                   "bitmask together" also includes the copies of candidates to
//                                   the device and of kept candidates back. "bitmask sort" is the
//                                   ranking on the host before these steps, which the other times
//                                   don't include. All times except that of the kernel are measured
//                                   with the host's clock. It is an error if the suppression keeps
//                                   other candidates than greedy. "bitmask as printed" has + 1, a
//                                   division, and an allocation in each call
//                                   (nms_papers/printed_bitmask.h): "kernel", "allocation" and
//                                   "together"
//   bench_nms_papers variations LIST  Adaptive-NMS and FeatureNMS (nms_papers/pair_rules.h) with
//                                   made-up densities and features, greedy and "as a matrix". It is
//                                   an error if the device keeps other candidates than the CPU
//   bench_nms_papers energy LIST    joules by NVML's counter in loops of replays. A line has who,
//                                   name, order, kept, calls, seconds and joules. "idle" has no
//                                   calls: the device has a context, and nothing runs
//
//   --replays N   number of timed calls for each line, after ten calls that don't count: 1..100000
//                 (200). Not with energy
//   --k K,K...    partitions of the matrix' reduction, each 1..4096: with matrix (1,2,4,8 ... 128),
//                 printed (4,8,16,32,64), steps (4,32), grid, cores and energy (32)
//   --multiprocessors N,N...  measures on N multiprocessors, with green contexts. CUDA rounds N up.
//                 Not with bitmask and energy
//   --published   with matrix and grid: the published predicate (the winner's area, squares, + 1)
//                 instead of IoU: "matrix as published map k 32"
//   --seconds S   with energy: seconds that a loop takes: 0.01..60 (2)
//
// Lists and lines of the results are those of bench_nms_cuda (bench/nms_cuda_bench.cpp).
#include <string>
#include <vector>

#include "bench/nms_cuda/command.h"
#include "bench/nms_cuda/sets.h"
#include "bench/program.h"
#include "experiments/programs/nms_papers/measures.h"
#include "experiments/programs/nms_papers/verbs.h"

namespace facepipe::nms_papers {
namespace {

using Measure = void (*)(const std::vector<Set>&, const Command&, const Place&);

/// A verb that measures on parts of a device.
struct VerbOnParts {
  const char* name;
  Measure measure;
};
constexpr VerbOnParts kOnParts[] = {{"matrix", time_matrix},   {"grid", time_grid_matrix},
                                    {"printed", time_printed}, {"steps", time_steps},
                                    {"cores", time_cores},     {"variations", time_variations}};

int measure(const std::vector<std::string>& words) {
  Command command = bench::parse_command(papers_verbs(), words);
  const std::vector<Set> sets = bench::read_list(command.path);
  if (command.verb == "cores" && command.parts.empty()) command.parts = experiments::steps_to_all();
  for (const VerbOnParts& verb : kOnParts)
    if (command.verb == verb.name)
      experiments::on_parts(command.parts,
                            [&](const Place& place) { verb.measure(sets, command, place); });
  if (command.verb == "bitmask") time_bitmask(sets, command);
  if (command.verb == "energy") measure_energy(sets, command);
  return 0;
}

}  // namespace
}  // namespace facepipe::nms_papers

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_nms_papers", argc, argv,
                                          facepipe::nms_papers::measure);
}
