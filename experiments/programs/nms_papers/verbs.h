// The verbs of bench_nms_papers. They are separate from its main() so that tests can use them.
#pragma once

#include <vector>

#include "bench/nms_cuda/command.h"

namespace facepipe::nms_papers {

/// matrix, cores and bitmask.
[[nodiscard]] inline std::vector<bench::Verb> papers_verbs() {
  return {{.name = "matrix", .usual_ks = {1, 2, 4, 8, 16, 32, 64, 128}},
          {.name = "cores", .usual_ks = {32}},
          {.name = "bitmask"}};
}

}  // namespace facepipe::nms_papers
