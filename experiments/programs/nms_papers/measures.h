// The measurements of the verbs of bench_nms_papers. Each function prints the lines that
// nms_papers_bench.cpp describes. If CUDA fails, it throws Error(device).
#pragma once

#include <vector>

#include "bench/nms_cuda/command.h"
#include "bench/nms_cuda/sets.h"
#include "experiments/programs/hardware/places.h"
#include "nms/cuda/suppressor.h"

namespace facepipe::nms_papers {

using bench::Command;
using bench::Set;
using experiments::Place;

static_assert(experiments::kWholeDevice == nms::kAllMultiprocessors);

/// Measures the matrix' map and reduce kernels and both together, each as a separate graph, for
/// each k. D_max is 4,096, or less if k requires it. Sets with more than D_max candidates are left
/// out, and standard error says so.
void time_matrix(const std::vector<Set>& sets, const Command& command, const Place& place);

/// Measures map and reduce as one kernel (grid_matrix.h), for each k.
void time_grid_matrix(const std::vector<Set>& sets, const Command& command, const Place& place);

/// Measures the kernels as they are printed (printed_nms.h), for each k. D_max is 4,096. Throws
/// std::runtime_error if they keep other candidates than the same algorithm on the host.
void time_printed(const std::vector<Set>& sets, const Command& command, const Place& place);

/// Measures the effect of each step from the printed kernels to ours, for each k.
void time_steps(const std::vector<Set>& sets, const Command& command, const Place& place);

/// Measures the matrix and exact greedy suppression.
void time_cores(const std::vector<Set>& sets, const Command& command, const Place& place);

/// Measures bitmask suppression with its reduction on the host: our version (bitmask_nms.h), and
/// the printed version (printed_bitmask.h). Throws std::runtime_error if ours keeps other
/// candidates than greedy suppression.
void time_bitmask(const std::vector<Set>& sets, const Command& command);

/// Measures greedy suppression by pair rules (pair_rules.h).
void time_variations(const std::vector<Set>& sets, const Command& command, const Place& place);

/// Measures the energy of suppression in loops of command.seconds, and of the idle device.
void measure_energy(const std::vector<Set>& sets, const Command& command);

}  // namespace facepipe::nms_papers
