// Does greedy suppression in batches of the highest ranked candidates. See Note [Ranked batches].
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy/decisions.cuh"
#include "nms/cuda/greedy/propagate.cuh"
#include "nms/cuda/greedy/suppression_matrix.cuh"
#include "nms/cuda/ranking.cuh"

namespace facepipe::nms {

// Note [Ranked batches]
// ~~~~~~~~~~~~~~~~~~~~~
// This is the fallback if many boxes overlap many others. The suppression matrices of a partition
// would then be too large. First all blocks together sort the candidates by rank. Then they repeat
// two steps:
// 1. The batch is the 256 highest ranked candidates that remain (that are neither decided nor
//    removed). No kept candidate of an earlier batch suppresses them, so they are decided among
//    themselves. Every block does this for itself, with a suppression matrix of 256 x 256 bits in
//    shared memory.
// 2. The kept candidates of the batch suppress some of the remaining candidates, which are removed.
//    Each block does this for its part of the candidates. A barrier across the grid follows.
// Memory is linear in the number of candidates. A candidate is compared only with kept candidates
// and with its batch. Each batch decides 256 candidates. So there are at most capacity / 256
// batches for any boxes.

inline constexpr unsigned kBatchSize = 256;
static_assert(kBatchSize <= kMaxRows);
inline constexpr unsigned kRankedAtOnce = 512;

/// Holds memory that all blocks share. remaining[k % 2] has a bit for each ranked candidate that
/// remains before batch k. It is not read before batch 0, because all candidates remain then.
struct BatchScratch {
  std::uint64_t* ranked_keys;
  float4* ranked_boxes;
  std::uint32_t* remaining[2];
  std::uint32_t* barrier;
  PhaseCounter phases;
};

/// Holds what decide_warp_rows() reads and publishes for a batch. The matrix has no columns except
/// the batch's rows, and the decisions are only in shared memory.
struct BatchDecisions {
  OwnDecisions own;
  PublishedStates states;  ///< unused, because no column belongs to another block

  static constexpr unsigned own_words = kBatchSize / 32;
  [[nodiscard]] static __device__ __forceinline__ unsigned candidate_of(unsigned) { return 0; }
  __device__ __forceinline__ void publish(unsigned row_word, std::uint64_t, unsigned decided,
                                          unsigned kept) const {
    own.publish(row_word, decided, kept);
  }
  [[nodiscard]] static __device__ __forceinline__ bool fallback_requested() { return false; }
};

/// Holds the parts of the block's shared memory that a batch uses.
struct BatchMemory {
  MatrixColumns columns;
  std::uint32_t* bits;
  float4* octets;
  BlockRanking own;
  unsigned (&warp_sums)[kWarps];
  std::uint32_t (&kept)[kMaxRowWords];
  std::uint32_t (&removed)[kMaxRowWords];
};

/// Returns the key of a candidate. If the candidate is invalid, the score in the key is 0.
__device__ __forceinline__ std::uint64_t key_at(const CandidateView& view, unsigned index) {
  const float score = __ldg(view.scores + index);
  return key_of(ordered_score(valid(__ldg(view.boxes + index), score), score), index);
}

/// Calls count_among() for all n candidates. Returns how many of the candidates that this thread
/// has counted are valid.
__device__ __forceinline__ unsigned count_all_keys(const CandidateView& view, unsigned n,
                                                   const BlockRanking& own) {
  unsigned valid_count = 0;
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < n; i += kThreads) {
    const std::uint64_t key = key_at(view, i);
    valid_count += is_valid_key(key) ? 1 : 0;
    count_among(own, key);
  }
  return valid_count;
}

/// Writes the block's candidates [begin, end) (at most kRankedAtOnce). Each is written to the index
/// that is its rank among all n candidates. Invalid candidates come last. Returns how many of all n
/// candidates are valid. Ends with a barrier.
__device__ __forceinline__ unsigned rank_part(const CandidateView& view, unsigned n, unsigned begin,
                                              unsigned end, BatchMemory& memory,
                                              const BatchScratch& scratch) {
  memory.own.size = end - begin;
  if (threadIdx.x < memory.own.size)
    memory.own.spare[threadIdx.x] = key_at(view, begin + threadIdx.x);
  for (unsigned i = threadIdx.x; i <= memory.own.size; i += kThreads) memory.own.counts[i] = 0;
  __syncthreads();
  sort_own(memory.own);
  const unsigned mine = warp_sum(count_all_keys(view, n, memory.own));
  if (lane_id() == 0) memory.warp_sums[warp_id()] = mine;
  __syncthreads();
  const unsigned valid_count = warp_sum(lane_id() < kWarps ? memory.warp_sums[lane_id()] : 0);
  if (warp_id() == 0)
    write_own(memory.own, [&](unsigned rank, std::uint64_t key) {
      scratch.ranked_keys[rank] = key;
      scratch.ranked_boxes[rank] = __ldg(view.boxes + index_of(key));
    });
  __syncthreads();
  return valid_count;
}

/// Writes this block's part of the candidates, each to the index that is its rank. Returns how many
/// of all candidates are valid. Ends with a barrier.
__device__ __forceinline__ unsigned rank_all(const CandidateView& view, unsigned n,
                                             BatchMemory& memory, const BatchScratch& scratch) {
  const unsigned part = (n + gridDim.x - 1) / gridDim.x;
  const unsigned begin = min(n, blockIdx.x * part);
  const unsigned end = min(n, begin + part);
  unsigned valid_count =
      rank_part(view, n, begin, min(end, begin + kRankedAtOnce), memory, scratch);
  for (unsigned at = begin + kRankedAtOnce; at < end; at += kRankedAtOnce)
    valid_count = rank_part(view, n, at, min(end, at + kRankedAtOnce), memory, scratch);
  return valid_count;
}

struct Batch {
  unsigned size;
  unsigned remaining;  ///< number of candidates of the batch, plus candidates that remain after it
  unsigned last;       ///< rank of the last candidate of the batch
};

/// Finds the next batch. It writes a key to each entry: the inverted bits of the candidate's rank.
/// So a candidate has a greater key than the candidates that it outranks. `last_rank` is in shared
/// memory. Ends with a barrier.
__device__ __forceinline__ Batch take_batch(const std::uint32_t* remaining, unsigned valid_count,
                                            bool all_remaining, BatchMemory& memory,
                                            const BatchScratch& scratch, unsigned& last_rank) {
  constexpr unsigned kWordsEach = 65536 / 32 / kThreads;
  std::uint32_t words[kWordsEach];
  unsigned mine = 0;
#pragma unroll
  for (unsigned q = 0; q < kWordsEach; ++q) {
    const unsigned rank = 32 * (kWordsEach * threadIdx.x + q);
    const unsigned valid_here = rank < valid_count ? min(32U, valid_count - rank) : 0;
    words[q] = valid_here == 0 ? 0
               : all_remaining ? kAllLanes >> (32 - valid_here)
                               : __ldcg(remaining + rank / 32);
    mine += static_cast<unsigned>(__popc(words[q]));
  }
  const unsigned up_to_here = warp_inclusive_sum(mine);
  if (lane_id() == 31) memory.warp_sums[warp_id()] = up_to_here;
  __syncthreads();
  const unsigned sums = warp_inclusive_sum(lane_id() < kWarps ? memory.warp_sums[lane_id()] : 0);
  const unsigned total = __shfl_sync(kAllLanes, sums, 31);
  unsigned at = up_to_here - mine;
  const unsigned warps_before = __shfl_sync(kAllLanes, sums, warp_id() == 0 ? 0 : warp_id() - 1);
  if (warp_id() != 0) at += warps_before;
  const unsigned size = min(total, kBatchSize);
#pragma unroll
  for (unsigned q = 0; q < kWordsEach; ++q)
    for (std::uint32_t left = words[q]; left != 0 && at < size; left &= left - 1, ++at) {
      const unsigned rank = 32 * (kWordsEach * threadIdx.x + q) + __ffs(static_cast<int>(left)) - 1;
      memory.columns.candidates.keys[at] = key_of(~rank, 0);
      if (at + 1 == size) last_rank = rank;
    }
  __syncthreads();
  return {size, total, last_rank};
}

/// Loads the candidates that take_batch() has found, and stores the bounding box of each octet.
/// Ends with a barrier.
__device__ __forceinline__ void load_batch(unsigned size, BatchMemory& memory,
                                           const BatchScratch& scratch) {
  const unsigned rows = (size + 31) / 32 * 32;
  if (threadIdx.x < rows) {
    float4 box = empty_box();
    std::uint64_t key = 0;
    if (threadIdx.x < size) {
      const auto inverted_rank =
          static_cast<std::uint32_t>(memory.columns.candidates.keys[threadIdx.x] >> 32);
      box = __ldcg(scratch.ranked_boxes + ~inverted_rank);
      key = key_of(inverted_rank, index_of(__ldcg(scratch.ranked_keys + ~inverted_rank)));
    }
    memory.columns.candidates.boxes[threadIdx.x] = box;
    memory.columns.candidates.keys[threadIdx.x] = key;
    memory.columns.entry_of[threadIdx.x] = static_cast<std::uint16_t>(threadIdx.x);
    const float4 around = octet_bounds(box);
    if (lane_id() % 8 == 0) memory.octets[threadIdx.x / 8] = around;
  }
  __syncthreads();
}

/// Decides the rows of the batch. Begins and ends with a barrier.
__device__ __forceinline__ void decide_batch(const SuppressionMatrix& matrix, BatchMemory& memory) {
  if (threadIdx.x < kBatchSize / 32) memory.kept[threadIdx.x] = memory.removed[threadIdx.x] = 0;
  __syncthreads();
  if (warp_id() < matrix.row_words())
    decide_warp_rows(matrix, warp_id(), BatchDecisions{{memory.kept, memory.removed}, {}});
  __syncthreads();
}

/// Returns whether a kept candidate of the batch suppresses the candidate of rank `rank`.
template <class Overlap>
__device__ bool suppressed_by_batch(const BatchMemory& memory, const BatchScratch& scratch,
                                    unsigned size, unsigned rank, float threshold) {
  const Box box = as_box(__ldcg(scratch.ranked_boxes + rank));
  const float box_area = area(box);
  const MatrixColumns& columns = memory.columns;
  for (unsigned word = 0; word < (size + 31) / 32; ++word)
    for (std::uint32_t left = memory.kept[word]; left != 0; left &= left - 1) {
      const unsigned column = 32 * word + __ffs(static_cast<int>(left)) - 1;
      const Box winner = as_box(columns.box(column));
      if (Overlap::suppresses(winner, area(winner), box, box_area, threshold)) return true;
    }
  return false;
}

/// Writes this block's part of `next`, whose bits say which candidates remain after the batch.
/// `remaining` is null for the first batch, because all candidates remain before it.
template <class Overlap>
__device__ void remove_suppressed(const BatchMemory& memory, const BatchScratch& scratch,
                                  const Batch& batch, unsigned valid_count,
                                  const std::uint32_t* remaining, std::uint32_t* next,
                                  float threshold) {
  const unsigned words = (valid_count + 31) / 32;
  for (unsigned word = blockIdx.x * kWarps + warp_id(); word < words; word += gridDim.x * kWarps) {
    const unsigned rank = 32 * word + lane_id();
    bool survives = rank > batch.last && rank < valid_count;
    if (survives && remaining != nullptr)
      survives = (__ldcg(remaining + word) >> lane_id() & 1) != 0;
    if (survives)
      survives = !suppressed_by_batch<Overlap>(memory, scratch, batch.size, rank, threshold);
    const unsigned left = __ballot_sync(kAllLanes, survives);
    if (lane_id() == 0) __stcg(next + word, left);
  }
}

/// Returns the number of kept candidates of the batch. Block 0 also appends them to the output,
/// after the `before` kept candidates of earlier batches.
__device__ __forceinline__ unsigned append_kept(const BatchMemory& memory, unsigned size,
                                                unsigned before, std::uint32_t* indices) {
  unsigned kept = 0;
  for (unsigned word = 0; word < (size + 31) / 32; ++word) {
    const std::uint32_t bits = memory.kept[word];
    if (blockIdx.x == 0 && warp_id() == word && (bits >> lane_id() & 1) != 0)
      indices[before + kept + __popc(bits & lanes_below())] = memory.columns.index(threadIdx.x);
    kept += static_cast<unsigned>(__popc(bits));
  }
  return kept;
}

/// Decides all n candidates and writes the output. All blocks must call it.
template <class Overlap>
__device__ __forceinline__ void decide_ranked_batches(const CandidateView& view, unsigned n,
                                                      float threshold, BatchMemory& memory,
                                                      const BatchScratch& scratch,
                                                      std::uint32_t* indices,
                                                      std::uint32_t* kept_count) {
  __shared__ unsigned last_rank;
  const unsigned valid_count = rank_all(view, n, memory, scratch);
  unsigned kept = 0;
  for (unsigned batches = 0;; ++batches) {
    grid_barrier(scratch.barrier, scratch.phases);
    const std::uint32_t* const remaining = scratch.remaining[batches % 2];
    const Batch batch =
        take_batch(remaining, valid_count, batches == 0, memory, scratch, last_rank);
    if (batch.size == 0) break;
    load_batch(batch.size, memory, scratch);
    const SuppressionMatrix matrix{memory.columns, memory.bits, batch.size, batch.size};
    compute_matrix<Overlap>(matrix.columns, matrix.rows, matrix.stride(), matrix.column_end,
                            memory.octets, threshold, memory.bits);
    decide_batch(matrix, memory);
    kept += append_kept(memory, batch.size, kept, indices);
    if (batch.remaining == batch.size) break;  // no candidate remains after the batch
    remove_suppressed<Overlap>(memory, scratch, batch, valid_count,
                               batches == 0 ? nullptr : remaining,
                               scratch.remaining[(batches + 1) % 2], threshold);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *kept_count = kept;
}

}  // namespace facepipe::nms
