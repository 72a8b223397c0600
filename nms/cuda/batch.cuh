// Candidates in registers, a batch at a time.
#pragma once

#include <cstdint>

#include "nms/cuda/cells.cuh"
#include "nms/cuda/device.cuh"

namespace facepipe::nms {

inline constexpr unsigned kEach = 8;                    ///< candidates of a thread in a batch
inline constexpr unsigned kBatch = kEach * kThreads;

/// Up to kBatch candidates are read once and stay in registers for all passes over them; of more, each
/// pass reads one batch after the other.
struct Batch {
  float4 boxes[kEach];
  float scores[kEach];
  std::uint32_t cells[kEach];
};

__device__ __forceinline__ void load(Batch& batch, const View& view, unsigned base, unsigned begin,
                                     unsigned end, unsigned q) {
  const unsigned i = base + q * kThreads + threadIdx.x;
  if (i < begin || i >= end) return;
  batch.boxes[q] = __ldg(view.boxes + i);
  batch.scores[q] = __ldg(view.scores + i);
}

/// Candidates [begin, end) of the batch that begins at `base`.
__device__ __forceinline__ void load_batch(Batch& batch, const View& view, unsigned base,
                                           unsigned begin, unsigned end) {
#pragma unroll
  for (unsigned q = 0; q < kEach; ++q) load(batch, view, base, begin, end, q);
}

/// Cells of candidates that don't fit one batch, remembered as long as there is room.
struct CellMemory {
  std::uint16_t* cells;
  unsigned room;
};

/// Counts all candidates by cell. `counts` must be zero; ends with a barrier.
__device__ inline void count_cells(Batch& batch, const View& view, unsigned n, const CellGrid& grid,
                                   const CellMemory& memory, unsigned* counts) {
  const bool resident = n <= kBatch;
  for (unsigned base = 0; base < n; base += kBatch) {
    if (!resident) load_batch(batch, view, base, 0, n);
#pragma unroll
    for (unsigned q = 0; q < kEach; ++q) {
      const unsigned i = base + q * kThreads + threadIdx.x;
      if (i >= n) break;
      batch.cells[q] = cell_of(grid, batch.boxes[q], i, n);
      if (!resident && i < memory.room)
        memory.cells[i] = static_cast<std::uint16_t>(batch.cells[q]);
      atomicAdd(counts + batch.cells[q], 1U);
    }
  }
  __syncthreads();
}

/// Calls visit(index, is_one, box, score, cell) for all candidates; whole warps call it together, so
/// with some lanes where is_one is false.
template <class Visit>
__device__ __forceinline__ void for_each(Batch& batch, const View& view, unsigned n,
                                         const CellGrid& grid, const CellMemory& memory,
                                         Visit&& visit) {
  const bool resident = n <= kBatch;
  for (unsigned base = 0; base < n; base += kBatch) {
    if (!resident) load_batch(batch, view, base, 0, n);
#pragma unroll
    for (unsigned q = 0; q < kEach; ++q) {
      if (base + q * kThreads >= n) break;
      const unsigned i = base + q * kThreads + threadIdx.x;
      if (!resident && i < n)
        batch.cells[q] = i < memory.room ? memory.cells[i] : cell_of(grid, batch.boxes[q], i, n);
      visit(i, i < n, batch.boxes[q], batch.scores[q], batch.cells[q]);
    }
  }
}

}  // namespace facepipe::nms
