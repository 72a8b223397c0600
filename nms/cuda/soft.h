// Declares the arguments and the launcher of the kernel of the rule `soft`.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "nms/cuda/candidate_view.h"
#include "nms/cuda/greedy/greedy.h"
#include "nms/nms.h"

namespace facepipe::nms {

struct SoftArguments {
  CandidateView view;
  GreedyControl* control;
  std::uint64_t* words;  ///< `capacity` words: the published score and state of each candidate
  float threshold, sigma, min_score;
  std::uint32_t phase_bits;  ///< 2^phase_bits >= blocks, see PhaseCounter
  std::uint32_t list_bytes;  ///< shared memory for rows and lists of neighbours
  std::uint32_t* indices;
  float* scores;
  std::uint32_t* kept;
  std::uint32_t* beyond_capacity;
};

struct SoftPlan {
  std::uint32_t list_bytes = 0;
  std::uint32_t shared_bytes = 0;
  std::uint32_t blocks = 0;
  std::uint32_t phase_bits = 0;
};
/// Plans a launch with one block on each of the `multiprocessors`. Throws Error(internal) if
/// their shared memory is too small for the capacity.
[[nodiscard]] SoftPlan plan_soft(const NmsOptions& options, std::uint32_t capacity,
                                 std::uint32_t multiprocessors);

void launch_soft(const NmsOptions& options, const SoftPlan& plan, const SoftArguments& arguments,
                 cudaStream_t stream);

}  // namespace facepipe::nms
