// Kernel of the rules greedy and fast, as the suppressor launches it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "nms/cuda/view.h"
#include "nms/nms.h"

namespace facepipe::nms {

/// Shared memory of a CTA: how much of the problem it can hold.
struct GreedyLimits {
  std::uint32_t columns = 0;    ///< boxes that a CTA compares its own with; a multiple of 32
  std::uint32_t bit_words = 0;  ///< 32 comparisons each
};

/// Words by which CTAs meet, each in a line of its own. Zeroed once; they only ever count up, so a
/// launch needs no reset and finds its number in them.
struct GreedyControl {
  alignas(128) std::uint32_t tickets;
  alignas(128) std::uint32_t arrivals;
  alignas(128) std::uint32_t barrier;
  alignas(128) std::uint32_t bail;   ///< tag of the last launch in which a CTA gave up its rounds
  alignas(128) std::uint32_t crowd;  ///< twice the tag of the last launch, and 1 if boxes crowded
};

struct GreedyScratch {
  GreedyControl* control;
  std::uint32_t* states;       ///< capacity: what became of each candidate, with the launch's tag
  std::uint64_t* sorted_keys;  ///< capacity; these three for the sweep
  float4* sorted_boxes;        ///< capacity
  std::uint32_t* alive;        ///< capacity / 32, all zero between launches
};

struct GreedyArguments {
  View view;
  GreedyScratch scratch;
  GreedyLimits limits;
  float threshold;
  std::uint32_t ticket_bits;  ///< 2^ticket_bits >= CTAs
  std::uint32_t* indices;
  std::uint32_t* kept;
  std::uint32_t* beyond_capacity;
};

/// What fits the device, and the CTAs that all run at once on it.
struct GreedyPlan {
  GreedyLimits limits;
  std::uint32_t shared_bytes = 0;
  std::uint32_t ctas = 0;
  std::uint32_t ticket_bits = 0;
};
/// `largest_columns`: to make small limits for tests. `multiprocessors`: one CTA on each.
[[nodiscard]] GreedyPlan plan_greedy(const NmsOptions& options, std::uint32_t largest_columns,
                                     std::uint32_t multiprocessors);

/// A cooperative launch: the CTAs wait for each other.
void launch_greedy(const NmsOptions& options, const GreedyPlan& plan,
                   const GreedyArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::nms
