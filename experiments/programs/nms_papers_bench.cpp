// Measures the papers' ways to suppress on a CUDA device: replays of graphs, timed by events on the
// device.
//
//   bench_nms_papers matrix LIST    the matrix' map and reduce kernels, for each k: "map k 32",
//                                   "reduce k 32", "both k 32". D_max is 4,096, or less if
//                                   D_max / k <= 1,024 threads requires it: "map k 2 D_max 2048".
//                                   Sets of more candidates are left out, and standard error
//                                   says so
//   bench_nms_papers cores LIST     the matrix (k 32) and greedy on 8, 16, 24, 32, 48, 64, 96 ...
//                                   all multiprocessors, with green contexts: "greedy on 8
//                                   multiprocessors", "map k 32 on 8 multiprocessors"
//   bench_nms_papers bitmask LIST   R-CNN's bitmask suppression (nms_papers/bitmask_nms.h) in
//                                   parts: "bitmask kernel", "bitmask copy" (of the mask to the
//                                   host), "bitmask host" (the reduction). "bitmask together" adds
//                                   the copies of candidates to the device and of kept ones back.
//                                   "bitmask sort" is the ranking on the host, which comes before
//                                   and is in none of the others. All but the kernel are timed by
//                                   the host's clock. If it keeps other candidates than greedy,
//                                   that is an error
//
//   --replays N   calls timed for each line, after ten that warm up: 1..100000 (200)
//   --k K,K...    partitions of the matrix' reduction, each 1..4096: with matrix (1,2,4,8 ... 128)
//                 and cores (32)
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

int measure(const std::vector<std::string>& words) {
  const bench::Command command = bench::parse_command(papers_verbs(), words);
  const std::vector<Set> sets = bench::read_list(command.path);
  if (command.verb == "matrix") time_matrix(sets, command.ks, command.replays);
  if (command.verb == "cores") time_cores(sets, command.ks, command.replays);
  if (command.verb == "bitmask") time_bitmask(sets, command.replays);
  return 0;
}

}  // namespace
}  // namespace facepipe::nms_papers

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_nms_papers", argc, argv,
                                          facepipe::nms_papers::measure);
}
