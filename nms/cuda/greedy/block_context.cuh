// Holds what the functions of the greedy kernel work with: its arguments and the block's shared
// memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy/decisions.cuh"
#include "nms/cuda/greedy/greedy.h"
#include "nms/cuda/greedy/partition.cuh"
#include "nms/cuda/greedy/suppression_matrix.cuh"
#include "nms/cuda/ranking.cuh"

namespace facepipe::nms {

inline constexpr unsigned kLoadsInFlight = 8;  ///< independent loads of a thread at a time

// The size of the memory that first contains the counts by cell, and later the arrays of
// BlockRanking.
inline constexpr unsigned kCountsBytes =
    std::max<std::size_t>(kGridCells * sizeof(unsigned), 4 * kMaxRows * sizeof(std::uint64_t));

struct Shared {
  alignas(16) HilbertCurve curve;
  float4 octets[kMaxRows / 8];
  float ranges[kWarps][4];
  PartitionMemory partition;
  std::uint32_t kept[kMaxRowWords];  // decisions about own rows or, in the fallback, about a batch
  std::uint32_t removed[kMaxRowWords];
  std::uint32_t tag;
  unsigned other_columns;  // columns that are not own rows
  unsigned own_kept;       // number of own rows that are kept
  std::uint32_t arrived;
  bool falls_back;
};

__device__ __forceinline__ Shared& shared_memory() {
  __shared__ Shared shared;
  return shared;
}

/// Holds the arguments and the memory of a block. If kFits is true, all candidates fit in shared
/// memory. Then no block can run out of space for its matrix, and no block has to check whether
/// another block has run out of space.
template <bool kFits>
struct BlockContext {
  const GreedyArguments& arguments;
  Shared& shared;
  unsigned n;
  unsigned* counts;  // numbers of candidates by cell; later the memory of own_ranking()
  MatrixColumns columns;
  std::uint32_t* bits;

  [[nodiscard]] __device__ PhaseCounter phases() const { return {arguments.phase_bits}; }
  [[nodiscard]] __device__ PublishedStates states() const {
    return {arguments.scratch.states, shared.tag};
  }
  [[nodiscard]] __device__ BlockRanking own_ranking() const {
    auto* const keys = reinterpret_cast<std::uint64_t*>(counts);
    return {keys, reinterpret_cast<unsigned*>(keys + 2 * kMaxRows), keys + 3 * kMaxRows, 0};
  }
  /// Returns the cells of the first candidate_cells_size() candidates, by index. They lie in the
  /// matrix's memory until the matrix is computed.
  [[nodiscard]] __device__ std::uint16_t* candidate_cells() const {
    return reinterpret_cast<std::uint16_t*>(bits);
  }
  [[nodiscard]] __device__ unsigned candidate_cells_size() const {
    return 2 * arguments.limits.bit_words;
  }
  [[nodiscard]] static __device__ constexpr bool fits() { return kFits; }
  /// Returns the largest number of rows that a block may own.
  [[nodiscard]] __device__ unsigned max_rows() const {
    const GreedyLimits& limits = arguments.limits;
    if (!fits()) return min(kMaxRows, limits.columns / 2);
    return min(kMaxRows, limits.bit_words / (n / 32 + 3) / 32 * 32);
  }
  /// Returns the empty entry, which pads rows and columns.
  [[nodiscard]] __device__ unsigned empty_entry() const { return arguments.limits.columns - 1; }
};

__device__ __forceinline__ bool fits(const GreedyArguments& arguments, unsigned n) {
  return n + 64 <= arguments.limits.columns;
}

/// Computes the addresses of the block's arrays. Functions that are not inlined call
/// block_context() again instead of taking a BlockContext. Otherwise the compiler would not know
/// that the pointers in the BlockContext point to shared memory.
template <bool kFits>
__device__ __forceinline__ BlockContext<kFits> block_context(const GreedyArguments& arguments,
                                                             unsigned n) {
  extern __shared__ uint4 memory[];
  const unsigned columns = arguments.limits.columns;
  auto* const counts = reinterpret_cast<unsigned*>(memory);
  auto* const boxes = reinterpret_cast<float4*>(counts + kCountsBytes / sizeof(unsigned));
  auto* const keys = reinterpret_cast<std::uint64_t*>(boxes + columns);
  auto* const entries = reinterpret_cast<std::uint16_t*>(keys + columns);
  return {arguments,
          shared_memory(),
          n,
          counts,
          MatrixColumns{{boxes, keys}, entries},
          reinterpret_cast<std::uint32_t*>(entries + columns)};
}

}  // namespace facepipe::nms
