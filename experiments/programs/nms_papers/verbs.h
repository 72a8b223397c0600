// The verbs of bench_nms_papers and bench_nms_papers_cpu. They are separate from the programs'
// main() so that tests can use them.
#pragma once

#include <vector>

#include "bench/nms_cuda/command.h"

namespace facepipe::nms_papers {

/// Returns the verbs of bench_nms_papers, which measure on a CUDA device.
[[nodiscard]] inline std::vector<bench::Verb> papers_verbs() {
  return {{.name = "matrix",
           .usual_ks = {1, 2, 4, 8, 16, 32, 64, 128},
           .has_parts = true,
           .has_published = true},
          {.name = "grid", .usual_ks = {32}, .has_parts = true, .has_published = true},
          {.name = "printed", .usual_ks = {4, 8, 16, 32, 64}, .has_parts = true},
          {.name = "steps", .usual_ks = {4, 32}, .has_parts = true},
          {.name = "cores", .usual_ks = {32}, .has_parts = true},
          {.name = "bitmask"},
          {.name = "variations", .has_parts = true},
          {.name = "energy", .has_replays = false, .usual_ks = {32}, .has_seconds = true}};
}

/// Returns the verbs of bench_nms_papers_cpu, which measure on one core.
[[nodiscard]] inline std::vector<bench::Verb> papers_cpu_verbs() {
  return {{.name = "rcnn"},
          {.name = "variations"},
          {.name = "energy", .has_replays = false, .has_seconds = true}};
}

}  // namespace facepipe::nms_papers
