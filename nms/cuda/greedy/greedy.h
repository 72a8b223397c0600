// Declares the arguments and the launcher of the kernel of the rules `greedy` and `fast`.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "nms/cuda/candidate_view.h"
#include "nms/nms.h"

namespace facepipe::nms {

/// Says how large a suppression matrix fits in the shared memory of a thread block.
struct GreedyLimits {
  std::uint32_t columns = 0;    ///< columns, padding included; a multiple of 32
  std::uint32_t bit_words = 0;  ///< words of 32 bits, each for 32 columns of a row
};

/// Holds the words in global memory by which the blocks of a launch synchronise. Each word has its
/// own cache line. The words are set once, when the suppressor is made, and never reset. Counters
/// keep counting from launch to launch (see PhaseCounter). The other words hold the tag of the
/// launch that wrote them (see Note [Tags]).
struct GreedyControl {
  alignas(128) std::uint32_t launches;  ///< counts launches; each launch gets its tag from it
  alignas(128) std::uint32_t arrivals;  ///< counts blocks that have decided their rows
  alignas(128) std::uint32_t barrier;   ///< the word of grid_barrier()
  alignas(128)
      std::uint32_t fallback;  ///< tag of the last launch in which a block requested the fallback
  alignas(128) std::uint32_t partition;  ///< twice the tag of the last launch, plus 1 if its
                                         ///< partition was overfull
};

struct GreedyScratch {
  GreedyControl* control;
  std::uint32_t* states;       ///< `capacity` words; see PublishedStates
  std::uint64_t* ranked_keys;  ///< for ranked batches: `capacity` keys
  float4* ranked_boxes;        ///< for ranked batches: `capacity` boxes
  /// For ranked batches: 2 * capacity / 32 words (see BatchScratch::remaining).
  std::uint32_t* remaining;
};

struct GreedyArguments {
  CandidateView view;
  GreedyScratch scratch;
  GreedyLimits limits;
  float threshold;
  std::uint32_t phase_bits;  ///< 2^phase_bits >= blocks, see PhaseCounter
  std::uint32_t* indices;
  std::uint32_t* kept;
  std::uint32_t* beyond_capacity;
};

/// Configures a launch. All of its blocks run at the same time.
struct GreedyPlan {
  GreedyLimits limits;
  std::uint32_t shared_bytes = 0;
  std::uint32_t blocks = 0;
  std::uint32_t phase_bits = 0;
};
/// Plans a launch with one block for each of the `multiprocessors`. `largest_columns` bounds
/// GreedyLimits::columns.
[[nodiscard]] GreedyPlan plan_greedy(const NmsOptions& options, std::uint32_t largest_columns,
                                     std::uint32_t multiprocessors);

/// Enqueues a cooperative launch, because the blocks wait for each other.
void launch_greedy(const NmsOptions& options, const GreedyPlan& plan,
                   const GreedyArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::nms
