// What the verbs of bench_nms_papers measure. Each prints lines as nms_papers_bench.cpp describes
// them; failures of CUDA are Error(device).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/nms_cuda/sets.h"
#include "nms/cuda/suppressor.h"

namespace facepipe::nms_papers {

using bench::Set;

/// The matrix' map and reduce kernels and both of them, each as a graph of its own, for each k and
/// with D_max = 4,096, or less where k allows no more. `where` ends the lines' first word. Sets of
/// more than D_max candidates are left out, which standard error tells.
void time_matrix(const std::vector<Set>& sets, const std::vector<std::uint32_t>& ks, int replays,
                 const std::string& where = "",
                 std::uint32_t multiprocessors = nms::kAllMultiprocessors);

/// The matrix and exact greedy on ever more of the device's multiprocessors, by green contexts.
void time_cores(const std::vector<Set>& sets, const std::vector<std::uint32_t>& ks, int replays);

/// Bitmask suppression with its reduction on the host (bitmask_nms.h). Throws std::runtime_error
/// where it keeps other candidates than greedy.
void time_bitmask(const std::vector<Set>& sets, int replays);

}  // namespace facepipe::nms_papers
