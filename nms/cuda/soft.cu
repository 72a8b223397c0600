// Defines the kernel of the rule `soft`. It is launched cooperatively. See Note [Soft selection].
#include <algorithm>
#include <cstddef>
#include <string>

#include "core/cuda/check.h"
#include "core/error.h"
#include "nms/cuda/cooperative.h"
#include "nms/cuda/device.cuh"
#include "nms/cuda/ranking.cuh"
#include "nms/cuda/soft.h"

namespace facepipe::nms {
namespace {

// Note [Soft selection]
// ~~~~~~~~~~~~~~~~~~~~~
// A candidate's neighbours are the candidates whose selection makes its score decay: they overlap
// it so much that the decay isn't 1. Scores only fall. Suppose that a candidate's current score
// outranks the current scores of all its undecided neighbours. Then none of these neighbours can be
// selected earlier than the candidate, so its score is final, and the candidate is selected
// immediately. Other candidates play no part in this decision. Then the neighbours' scores decay.
//
// Each candidate has a word in global memory, which stays in L2. It holds the candidate's score and
// its state: undecided, selected, or discarded (the score is below the least score). A candidate's
// warp writes the word, and its neighbours' warps poll it.
//
// The rounded score must not depend on the order in which a warp learns of selections. So it is
// defined as the product of the decays in the order of selection, which is the order of falling
// final scores. Usually a warp sees selections in this order, and multiplies by each decay when it
// sees the selection. Sometimes a warp sees selection A only after it has multiplied by the decay
// of selection B, although A precedes B. Then the warp computes the product again from the initial
// score. A product in a wrong order is only published as an upper bound of a score. That is enough,
// because selection only needs upper bounds of the neighbours' scores.
//
// A warp handles several candidates in turn, which are its rows. First it compares each row with
// all other candidates and lists the neighbours in shared memory. If a row has more neighbours than
// its list can hold, the warp compares the row with all candidates each time it updates the row.

enum SelectionState : std::uint32_t { kUndecided = 0, kSelected = 1, kDiscarded = 2 };

constexpr unsigned kMostRows = 512;  // sort_own() sorts at most this many at a time

/// Holds what a warp knows about a candidate. It is equal in all lanes.
struct Row {
  unsigned index;
  float score;
  float initial;
  std::uint64_t last;  ///< the key of the last selection whose decay is in the score
  unsigned applied;    ///< the number of decays in the score
  unsigned neighbours;
  SelectionState state;
};

struct Neighbour {
  float decay;
  unsigned index;
};

struct Shared {
  std::uint64_t keys[2 * kMostRows];
  std::uint64_t spare[kMostRows];
  unsigned counts[kMostRows + 1];
  unsigned own;
  std::uint32_t tag;
};

struct BlockContext {
  const SoftArguments& arguments;
  Shared& shared;
  unsigned n;
  Row* rows;
  Neighbour* lists;
  unsigned rows_per_warp;  // the largest number of rows of a warp
  unsigned list_capacity;  // number of neighbours that a row's list can hold

  [[nodiscard]] __device__ PhaseCounter phases() const { return {arguments.phase_bits}; }
};

__device__ __forceinline__ void publish(const BlockContext& block, const Row& row) {
  if (lane_id() != 0) return;
  const std::uint64_t rank = static_cast<std::uint64_t>(ordered_bits(row.score)) << 32;
  store_relaxed(block.arguments.words + row.index, rank | (block.shared.tag << 2) | row.state);
}

struct PublishedScore {
  /// Key of the current score. If the score isn't published yet, the key is greater than all keys.
  std::uint64_t key;
  SelectionState state;
};
__device__ __forceinline__ PublishedScore published_at(const BlockContext& block, unsigned index) {
  const std::uint64_t word = load_relaxed(block.arguments.words + index);
  const auto low = static_cast<std::uint32_t>(word);
  if (low >> 2 != block.shared.tag) return {~std::uint64_t{0}, kUndecided};
  return {key_of(static_cast<std::uint32_t>(word >> 32), index),
          static_cast<SelectionState>(low & 3)};
}

__device__ __forceinline__ unsigned warp_max(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(kAllLanes, value);
#else
  for (int step = 16; step > 0; step /= 2)
    value = max(value, __shfl_xor_sync(kAllLanes, value, step));
  return value;
#endif
}

/// Returns the maximum of all lanes' 64-bit values. It is computed from maxima of their halves.
__device__ __forceinline__ std::uint64_t warp_max(std::uint64_t value) {
  const auto upper = static_cast<unsigned>(value >> 32);
  const unsigned greatest = warp_max(upper);
  const unsigned lower = warp_max(upper == greatest ? static_cast<unsigned>(value) : 0U);
  return (static_cast<std::uint64_t>(greatest) << 32) | lower;
}

/// Returns the factor by which the row's score is multiplied when candidate i is selected. It is 1
/// if candidate i is not a neighbour.
template <SoftDecay kDecay>
__device__ __forceinline__ float decay_by(const BlockContext& block, const Row& row, unsigned i) {
  const CandidateView& view = block.arguments.view;
  if (i >= block.n || i == row.index) return 1;
  const float4 other = __ldg(view.boxes + i);
  const float4 box = __ldg(view.boxes + row.index);
  if (!overlap(box, other) || !valid(other, __ldg(view.scores + i))) return 1;
  const Box a = as_box(box);
  const Box b = as_box(other);
  const float overlap_share = iou(intersection(a, b), area(a), area(b));
  return kDecay == SoftDecay::linear ? linear_decay(overlap_share, block.arguments.threshold)
                                     : gaussian_decay(overlap_share, block.arguments.sigma);
}

/// Calls visit(neighbour) for all neighbours, one in each lane at a time. If fewer than 32
/// neighbours are left, the other lanes get a neighbour with a decay of 1.
template <SoftDecay kDecay, class Visit>
__device__ __forceinline__ void for_neighbours(const BlockContext& block, const Row& row,
                                               const Neighbour* list, Visit&& visit) {
  if (row.neighbours <= block.list_capacity) {
    for (unsigned first = 0; first < row.neighbours; first += 32) {
      const unsigned j = first + lane_id();
      visit(j < row.neighbours ? list[j] : Neighbour{1, 0});
    }
    return;
  }
  for (unsigned first = 0; first < block.n; first += 32) {
    const unsigned i = first + lane_id();
    const float decay = decay_by<kDecay>(block, row, i);
    if (__any_sync(kAllLanes, decay != 1)) visit(Neighbour{decay, i});
  }
}

template <SoftDecay kDecay>
__device__ __forceinline__ void list_neighbours(const BlockContext& block, Row& row,
                                                Neighbour* list) {
  unsigned found = 0;
#pragma unroll 4
  for (unsigned first = 0; first < block.n; first += 32) {
    const unsigned i = first + lane_id();
    const float decay = decay_by<kDecay>(block, row, i);
    const unsigned are = __ballot_sync(kAllLanes, decay != 1);
    const unsigned at = found + static_cast<unsigned>(__popc(are & lanes_below()));
    if (decay != 1 && at < block.list_capacity) list[at] = {decay, i};
    found += static_cast<unsigned>(__popc(are));
  }
  row.neighbours = found;
  __syncwarp();
}

/// Holds the result of reading the published words of all neighbours once.
struct NeighbourScan {
  /// Key of the highest ranked selection that ranks below Row::last; 0 if there is none.
  std::uint64_t next = 0;
  float decay = 1;              ///< decay of that selection
  unsigned before = 0;          ///< number of selections at or above Row::last
  std::uint64_t strongest = 0;  ///< the greatest key of an undecided neighbour
};

__device__ __forceinline__ void add_neighbour(NeighbourScan& scan, const Row& row,
                                              const PublishedScore& published, float decay) {
  if (published.state == kUndecided) scan.strongest = max(scan.strongest, published.key);
  if (published.state != kSelected) return;
  if (published.key >= row.last) {
    ++scan.before;
  } else if (published.key > scan.next) {
    scan.next = published.key;
    scan.decay = decay;
  }
}

__device__ __forceinline__ NeighbourScan reduce_scan(NeighbourScan scan) {
  const std::uint64_t next = warp_max(scan.next);
  const unsigned has_it = __ballot_sync(kAllLanes, scan.next == next);
  scan.decay = __shfl_sync(kAllLanes, scan.decay, __ffs(static_cast<int>(has_it)) - 1);
  scan.next = next;
  scan.before = warp_sum(scan.before);
  scan.strongest = warp_max(scan.strongest);
  return scan;
}

/// Multiplies the row's score by the decays of all published selections, in the order of selection.
/// Then decides the row if that is possible. scan_neighbours() must return a NeighbourScan.
template <class ScanNeighbours>
__device__ __forceinline__ void apply_selections(const BlockContext& block, Row& row,
                                                 ScanNeighbours&& scan_neighbours) {
  const float before = row.score;
  NeighbourScan scan = scan_neighbours();
  while (scan.before != row.applied || scan.next != 0) {
    // A new selection precedes a selection that has already been applied. So the product starts
    // again from the initial score.
    if (scan.before != row.applied) {
      row.score = row.initial;
      row.last = ~std::uint64_t{0};
      row.applied = 0;
    } else {
      row.score = decayed(row.score, scan.decay);
      row.last = scan.next;
      ++row.applied;
    }
    scan = scan_neighbours();
  }
  if (!(row.score >= block.arguments.min_score))
    row.state = kDiscarded;
  else if (key_of(ordered_bits(row.score), row.index) > scan.strongest)
    row.state = kSelected;
  if (row.state != kUndecided || row.score != before) publish(block, row);
}

constexpr unsigned kNeighboursPerLane = 4;  // number of neighbours that a lane holds in registers

/// Updates a row with few neighbours. It reads their words once, into registers, and scans them
/// there as often as necessary.
__device__ __forceinline__ void update_row_from_registers(const BlockContext& block, Row& row,
                                                          const Neighbour* list) {
  PublishedScore published[kNeighboursPerLane];
  float decays[kNeighboursPerLane];
#pragma unroll
  for (unsigned q = 0; q < kNeighboursPerLane; ++q) {
    const unsigned j = 32 * q + lane_id();
    published[q] = {0, kDiscarded};
    decays[q] = 1;
    if (j >= row.neighbours) continue;
    decays[q] = list[j].decay;
    published[q] = published_at(block, list[j].index);
  }
  apply_selections(block, row, [&] {
    NeighbourScan scan;
#pragma unroll
    for (unsigned q = 0; q < kNeighboursPerLane; ++q)
      add_neighbour(scan, row, published[q], decays[q]);
    return reduce_scan(scan);
  });
}

/// Updates a row with any number of neighbours.
template <SoftDecay kDecay>
__device__ __forceinline__ void update_row(const BlockContext& block, Row& row,
                                           const Neighbour* list) {
  if (row.neighbours <= min(block.list_capacity, 32 * kNeighboursPerLane)) {
    update_row_from_registers(block, row, list);
    return;
  }
  apply_selections(block, row, [&] {
    NeighbourScan scan;
    for_neighbours<kDecay>(block, row, list, [&](const Neighbour& neighbour) {
      if (neighbour.decay != 1)
        add_neighbour(scan, row, published_at(block, neighbour.index), neighbour.decay);
    });
    __syncwarp();
    return reduce_scan(scan);
  });
}

__device__ __forceinline__ Row make_row(const BlockContext& block, unsigned index) {
  Row row{index, 0, 0, ~std::uint64_t{0}, 0, 0, kDiscarded};
  if (index >= block.n) return row;
  const float score = __ldg(block.arguments.view.scores + index);
  if (valid(__ldg(block.arguments.view.boxes + index), score)) row.score = row.initial = score;
  if (row.score >= block.arguments.min_score) row.state = kUndecided;
  publish(block, row);
  return row;
}

/// Decides the rows of a warp: updates each undecided row in turn until all are decided.
template <SoftDecay kDecay>
__device__ __forceinline__ void decide_rows(const BlockContext& block) {
  const unsigned warps = gridDim.x * kWarps;
  // Successive candidates belong to different multiprocessors.
  const unsigned number = warp_id() * gridDim.x + blockIdx.x;
  Row* const rows = block.rows + warp_id() * block.rows_per_warp;
  Neighbour* const lists = block.lists + warp_id() * block.rows_per_warp * block.list_capacity;
  unsigned count = 0;
  for (unsigned index = number; index < block.n; index += warps) {
    Row row = make_row(block, index);
    if (row.state != kUndecided) continue;
    list_neighbours<kDecay>(block, row, lists + count * block.list_capacity);
    if (lane_id() == 0) rows[count] = row;
    ++count;
  }
  __syncwarp();
  for (SpinLimit spins; count != 0; spins.count()) {
    unsigned open = 0;
    for (unsigned r = 0; r < count; ++r) {
      Row row = rows[r];
      if (row.state != kUndecided) continue;
      update_row<kDecay>(block, row, lists + r * block.list_capacity);
      __syncwarp();
      if (lane_id() == 0) rows[r] = row;
      __syncwarp();
      open += row.state == kUndecided ? 1 : 0;
    }
    if (open == 0) return;
  }
}

/// Writes the selected candidates in [begin, end) to their positions in the output. See Note
/// [Ranking].
__device__ __forceinline__ void write_part(const BlockContext& block, unsigned begin,
                                           unsigned end) {
  Shared& shared = block.shared;
  __syncthreads();
  if (threadIdx.x == 0) shared.own = 0;
  for (unsigned i = threadIdx.x; i <= kMostRows; i += kThreads) shared.counts[i] = 0;
  __syncthreads();
  const unsigned mine = begin + threadIdx.x;
  if (mine < end)
    if (const PublishedScore published = published_at(block, mine); published.state == kSelected)
      shared.spare[atomicAdd(&shared.own, 1U)] = published.key;
  __syncthreads();
  const BlockRanking own{shared.keys, shared.counts, shared.spare, shared.own};
  sort_own(own);
  if (own.size == 0 && begin != 0) return;
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < block.n; i += kThreads)
    if (const PublishedScore published = published_at(block, i); published.state == kSelected)
      count_among(own, published.key);
  __syncthreads();
  if (warp_id() != 0) return;
  const unsigned all = write_own(own, [&](unsigned position, std::uint64_t key) {
    const auto rank = static_cast<std::uint32_t>(key >> 32);
    block.arguments.indices[position] = index_of(key);
    block.arguments.scores[position] =
        __uint_as_float((rank & 0x80000000U) != 0 ? rank & 0x7fffffffU : ~rank);
  });
  if (begin == 0 && threadIdx.x == 0) *block.arguments.kept = all;
}

template <SoftDecay kDecay>
__global__ void __launch_bounds__(kThreads, 1)
    soft_kernel(const __grid_constant__ SoftArguments arguments) {
  extern __shared__ uint4 memory[];
  __shared__ Shared shared;
  const std::uint32_t count = __ldg(arguments.view.count);
  const unsigned n = min(count, arguments.view.capacity);
  if (threadIdx.x == 0) {
    const PhaseCounter phases{arguments.phase_bits};
    const std::uint32_t launch_count = atomicAdd(&arguments.control->launches, phases.increment());
    shared.tag = launch_count >> arguments.phase_bits;
    if (blockIdx.x == 0) *arguments.beyond_capacity = count - n;
  }
  __syncthreads();
  const unsigned warps = gridDim.x * kWarps;
  const unsigned rows_per_warp = max(1U, (n + warps - 1) / warps);
  auto* const rows = reinterpret_cast<Row*>(memory);
  auto* const lists = reinterpret_cast<Neighbour*>(rows + kWarps * rows_per_warp);
  const auto rows_bytes = static_cast<unsigned>(kWarps * rows_per_warp * sizeof(Row));
  const unsigned list_capacity =
      (arguments.list_bytes - rows_bytes) / (kWarps * rows_per_warp * sizeof(Neighbour));
  const BlockContext block{arguments, shared, n, rows, lists, rows_per_warp, list_capacity};
  decide_rows<kDecay>(block);
  grid_barrier(&arguments.control->barrier, block.phases());
  const unsigned part = max(1U, (n + gridDim.x - 1) / gridDim.x);
  const unsigned begin = min(n, blockIdx.x * part);
  const unsigned end = min(n, begin + part);
  for (unsigned at = begin; at < end || (at == 0 && blockIdx.x == 0); at += kMostRows)
    write_part(block, at, min(end, at + kMostRows));
  // This clears stale words, see Note [Tags] in greedy/decisions.cuh.
  if (blockIdx.x != gridDim.x - 1) return;
  for (unsigned i = (shared.tag & 4095U) + 4096U * threadIdx.x; i < arguments.view.capacity;
       i += 4096U * kThreads)
    if (i >= n) store_relaxed(arguments.words + i, 0);
}

using Kernel = void (*)(SoftArguments);
Kernel kernel_for(const NmsOptions& options) {
  return options.soft.decay == SoftDecay::linear ? soft_kernel<SoftDecay::linear>
                                                 : soft_kernel<SoftDecay::gaussian>;
}

}  // namespace

SoftPlan plan_soft(const NmsOptions& options, std::uint32_t capacity,
                   std::uint32_t multiprocessors) {
  const Kernel kernel = kernel_for(options);
  cudaFuncAttributes attributes{};
  FACEPIPE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  SoftPlan plan;
  plan.blocks = multiprocessors;
  plan.phase_bits = 8;  // tags then have 24 bits, see Note [Tags]
  while ((1U << plan.phase_bits) < plan.blocks) ++plan.phase_bits;
  // The lists take half of the shared memory, if that is enough. The rest is used as L1 cache for
  // the boxes.
  const auto room = static_cast<std::uint32_t>(
      device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - attributes.sharedSizeBytes);
  const std::uint32_t rows_per_warp = capacity / (plan.blocks * kWarps) + 1;
  const auto least = static_cast<std::uint32_t>(kWarps * rows_per_warp * (sizeof(Row) + 32));
  plan.list_bytes = std::min(room, std::max(room / 2, least)) / 16 * 16;
  if (plan.list_bytes < least)
    throw Error(ErrorKind::internal, "NMS capacity: too large for rule 'soft' on " +
                                         std::to_string(multiprocessors) + " multiprocessors");
  plan.shared_bytes = plan.list_bytes;
  FACEPIPE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(plan.shared_bytes)));
  return plan;
}

void launch_soft(const NmsOptions& options, const SoftPlan& plan, const SoftArguments& arguments,
                 cudaStream_t stream) {
  launch_cooperatively(kernel_for(options), plan.blocks, kThreads, plan.shared_bytes, stream,
                       arguments);
}

}  // namespace facepipe::nms
