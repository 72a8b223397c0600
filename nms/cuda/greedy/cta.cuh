// What a CTA of the greedy kernel has: its arguments and its shared memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy/board.cuh"
#include "nms/cuda/greedy/cells.cuh"
#include "nms/cuda/greedy/columns.cuh"
#include "nms/cuda/greedy/greedy.h"
#include "nms/cuda/ranking.cuh"

namespace facepipe::nms {

inline constexpr unsigned kAtOnce = 8;  ///< loads in flight

// What order_own() needs lies where the counts by cell were.
inline constexpr unsigned kCountsBytes =
    std::max<std::size_t>(kCells * sizeof(unsigned), 4 * kMaxRows * sizeof(std::uint64_t));

struct Shared {
  alignas(16) Curve curve;
  float4 octets[kMaxRows / 8];
  float ranges[kWarps][4];
  ShareMemory share;
  std::uint32_t kept[kMaxGroups];  // own rows, or a strip's
  std::uint32_t removed[kMaxGroups];
  std::uint32_t tag;
  unsigned others;  // columns after the rows
  unsigned own;     // kept rows
  std::uint32_t arrived;
  bool bailed;
};

__device__ __forceinline__ Shared& shared_memory() {
  __shared__ Shared shared;
  return shared;
}

/// Everything of a CTA. kFits: all candidates fit shared memory, and no CTA can run out of room, so
/// none needs to ask if another has.
template <bool kFits>
struct Cta {
  const GreedyArguments& arguments;
  Shared& shared;
  unsigned n;
  unsigned* counts;  // by cell; later order_own's
  Columns columns;
  std::uint32_t* bits;

  [[nodiscard]] __device__ Meeting meeting() const { return {arguments.ticket_bits}; }
  [[nodiscard]] __device__ States states() const { return {arguments.scratch.states, shared.tag}; }
  [[nodiscard]] __device__ OwnOrder own_order() const {
    auto* const keys = reinterpret_cast<std::uint64_t*>(counts);
    return {keys, reinterpret_cast<unsigned*>(keys + 2 * kMaxRows), keys + 3 * kMaxRows, 0};
  }
  /// Cells of candidates, until there are bits: as many as there is room for.
  [[nodiscard]] __device__ std::uint16_t* cells() const {
    return reinterpret_cast<std::uint16_t*>(bits);
  }
  [[nodiscard]] __device__ unsigned cells_room() const { return 2 * arguments.limits.bit_words; }
  [[nodiscard]] static __device__ constexpr bool fits() { return kFits; }
  /// Rows that any CTA may own.
  [[nodiscard]] __device__ unsigned rows_limit() const {
    const GreedyLimits& limits = arguments.limits;
    if (!fits()) return min(kMaxRows, limits.columns / 2);
    return min(kMaxRows, limits.bit_words / (n / 32 + 3) / 32 * 32);
  }
  /// The slot that no candidate has.
  [[nodiscard]] __device__ unsigned empty_slot() const { return arguments.limits.columns - 1; }
};

__device__ __forceinline__ bool fits(const GreedyArguments& arguments, unsigned n) {
  return n + 64 <= arguments.limits.columns;
}

/// A CTA's memory is found anew wherever it is needed: pointers to it that went through a call
/// would no longer be known to be to shared memory.
template <bool kFits>
__device__ __forceinline__ Cta<kFits> cta_of(const GreedyArguments& arguments, unsigned n) {
  extern __shared__ uint4 memory[];
  const unsigned columns = arguments.limits.columns;
  auto* const counts = reinterpret_cast<unsigned*>(memory);
  auto* const boxes = reinterpret_cast<float4*>(counts + kCountsBytes / sizeof(unsigned));
  auto* const keys = reinterpret_cast<std::uint64_t*>(boxes + columns);
  auto* const slots = reinterpret_cast<std::uint16_t*>(keys + columns);
  return {arguments,
          shared_memory(),
          n,
          counts,
          Columns{{boxes, keys}, slots},
          reinterpret_cast<std::uint32_t*>(slots + columns)};
}

}  // namespace facepipe::nms
