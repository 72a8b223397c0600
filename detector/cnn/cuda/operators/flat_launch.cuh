// Numbers all threads of a launch in one dimension. Each thread does the work with its number.
#pragma once

#include <cstddef>

namespace facepipe::detector::engine {

inline constexpr int kFlatThreads = 256;  ///< number of threads of a block

__device__ __forceinline__ std::size_t flat_index() {
  return static_cast<std::size_t>(blockIdx.x) * kFlatThreads + threadIdx.x;
}

/// Returns the number of blocks that together have at least `threads` threads.
[[nodiscard]] inline unsigned flat_blocks(std::size_t threads) {
  return static_cast<unsigned>((threads + kFlatThreads - 1) / kFlatThreads);
}

}  // namespace facepipe::detector::engine
