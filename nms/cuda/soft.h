// Kernel of the rule soft.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "nms/cuda/greedy/greedy.h"
#include "nms/cuda/view.h"
#include "nms/nms.h"

namespace facepipe::nms {

struct SoftArguments {
  View view;
  GreedyControl* control;
  std::uint64_t* words;  ///< capacity: each candidate's score and what became of it
  float threshold, sigma, min_score;
  std::uint32_t ticket_bits;
  std::uint32_t list_bytes;  ///< shared memory for neighbours
  std::uint32_t* indices;
  float* scores;
  std::uint32_t* kept;
  std::uint32_t* beyond_capacity;
};

struct SoftPlan {
  std::uint32_t list_bytes = 0;
  std::uint32_t shared_bytes = 0;
  std::uint32_t ctas = 0;
  std::uint32_t ticket_bits = 0;
};
/// One CTA on each of the multiprocessors. Throws std::invalid_argument where they are too few to
/// hold the capacity in shared memory.
[[nodiscard]] SoftPlan plan_soft(const NmsOptions& options, std::uint32_t capacity,
                                 std::uint32_t multiprocessors);

void launch_soft(const NmsOptions& options, const SoftPlan& plan, const SoftArguments& arguments,
                 cudaStream_t stream);

}  // namespace facepipe::nms
