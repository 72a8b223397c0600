// The measurements of the verbs of bench_nms_papers_cpu. Each function prints the lines that
// nms_papers_cpu_bench.cpp describes.
#pragma once

#include <vector>

#include "bench/nms_cuda/command.h"
#include "bench/nms_cuda/sets.h"

namespace facepipe::nms_papers {

/// Measures R-CNN's suppression (rcnn_nms.h).
void time_rcnn(const std::vector<bench::Set>& sets, const bench::Command& command);

/// Measures greedy suppression by pair rules (pair_rules.h).
void time_variations_on_cpu(const std::vector<bench::Set>& sets, const bench::Command& command);

/// Measures the energy of suppression on one core in loops of command.seconds, and of the idle
/// processor. Throws Error(device) if no counter can be read.
void measure_energy_on_cpu(const std::vector<bench::Set>& sets, const bench::Command& command);

}  // namespace facepipe::nms_papers
