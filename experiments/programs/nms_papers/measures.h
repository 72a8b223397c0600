// What the verbs of bench_nms_papers measure. Each function prints lines as nms_papers_bench.cpp
// describes them. If CUDA fails, it throws Error(device).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/nms_cuda/sets.h"
#include "nms/cuda/suppressor.h"

namespace facepipe::nms_papers {

using bench::Set;

/// Measures the matrix' map and reduce kernels and both together, each as a graph of its own, for
/// each k. D_max is 4,096, or less if k allows no more. `where` ends the lines' first word. Sets of
/// more than D_max candidates are left out, and standard error says so.
void time_matrix(const std::vector<Set>& sets, const std::vector<std::uint32_t>& ks, int replays,
                 const std::string& where = "",
                 std::uint32_t multiprocessors = nms::kAllMultiprocessors);

/// Measures the matrix and exact greedy on more and more of the device's multiprocessors, with
/// green contexts.
void time_cores(const std::vector<Set>& sets, const std::vector<std::uint32_t>& ks, int replays);

/// Measures bitmask suppression with its reduction on the host (bitmask_nms.h). Throws
/// std::runtime_error if it keeps other candidates than greedy.
void time_bitmask(const std::vector<Set>& sets, int replays);

}  // namespace facepipe::nms_papers
