// What the verbs of bench_nms_cuda measure. Each prints lines as nms_cuda_bench.cpp describes them;
// failures of CUDA are Error(device).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/nms_cuda/sets.h"
#include "nms/cuda/suppressor.h"
#include "nms/nms.h"

namespace facepipe::nms_bench {

/// Calls of each measurement before those that count.
inline constexpr int kWarmUp = 10;

/// One suppression, as a graph. `who` is the line's.
void time_suppression(const std::string& who, const nms::NmsOptions& options, const Set& set,
                      int replays, std::uint32_t multiprocessors = nms::kAllMultiprocessors);

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

}  // namespace facepipe::nms_bench
