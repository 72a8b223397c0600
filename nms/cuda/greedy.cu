// The rules greedy and fast: one cooperative kernel that reads the count and decides its way by it.
#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "core/cuda/check.h"
#include "nms/cuda/batch.cuh"
#include "nms/cuda/cells.cuh"
#include "nms/cuda/columns.cuh"
#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy.h"
#include "nms/cuda/ranking.cuh"
#include "nms/cuda/rounds.cuh"
#include "nms/cuda/sweep.cuh"

namespace facepipe::nms {
namespace {

#ifndef LEAST_SHARE
#define LEAST_SHARE 32
#endif
constexpr unsigned kLeastShare = LEAST_SHARE;  // candidates of a CTA
constexpr unsigned kCountsBytes = kCells * sizeof(unsigned);
static_assert(kMaxRows * sizeof(std::uint64_t) + kMaxRows * sizeof(unsigned) <= kCountsBytes);

struct Shared {
  Knowledge knowledge;
  float4 octets[kMaxRows / 8];
  ShareMemory share;
  std::uint32_t tag;
  unsigned others;  // columns after the rows
  unsigned listed;
  std::uint32_t arrived;
  bool bailed;
};

/// Everything of a CTA.
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
    return {keys, reinterpret_cast<unsigned*>(keys + kMaxRows), 0, 0};
  }
  [[nodiscard]] __device__ CellMemory cell_memory() const {
    return {reinterpret_cast<std::uint16_t*>(bits), 2 * arguments.limits.bit_words};
  }
  /// Kept ones of a batch, where the columns' boxes are no longer needed.
  [[nodiscard]] __device__ std::uint64_t* kept_keys() const {
    return reinterpret_cast<std::uint64_t*>(columns.boxes);
  }
  /// Whether no CTA can run out of room: then none needs to ask if another has.
  [[nodiscard]] __device__ bool fits() const { return n + 32 <= arguments.limits.columns; }
  /// Rows that any CTA may own.
  [[nodiscard]] __device__ unsigned rows_limit() const {
    const GreedyLimits& limits = arguments.limits;
    if (!fits()) return min(kMaxRows / 2, limits.columns / 2);
    return min(kMaxRows / 2, limits.bit_words / (n / 32 + 2) / 32 * 32);
  }
};

__device__ Cta lay_out(uint4* memory, Shared& shared, const GreedyArguments& arguments, unsigned n) {
  const unsigned columns = arguments.limits.columns;
  auto* const counts = reinterpret_cast<unsigned*>(memory);
  auto* const boxes = reinterpret_cast<float4*>(counts + kCells);
  auto* const areas = reinterpret_cast<float*>(boxes + columns);
  auto* const ranks = reinterpret_cast<std::uint32_t*>(areas + columns);
  auto* const indices = reinterpret_cast<std::uint16_t*>(ranks + columns);
  return {arguments, shared, n, counts, Columns{boxes, areas, ranks, indices},
          reinterpret_cast<std::uint32_t*>(indices + columns)};
}

/// Puts the CTA's own candidates into columns [0, rows), in the order of their cells, so that each
/// octet lies close together. Needs the starts of the cells in `counts`, and spoils them. Ends
/// with a barrier.
__device__ void gather_rows(const Cta& cta, Batch& batch, const CellGrid& grid,
                            const Share& share) {
  for_each(batch, cta.arguments.view, cta.n, grid, cta.cell_memory(),
           [&](unsigned i, bool is_one, float4 box, float score, unsigned cell) {
             if (!is_one || !share.owns(cell)) return;
             const unsigned at = atomicAdd(cta.counts + cell, 1U) - share.first;
             const bool good = valid(box, score);
             cta.columns.put(at, good ? box : empty_box(), rank_of(good, score), i);
           });
  const unsigned fill = share.rows() + threadIdx.x;
  if (fill < (share.rows() + 31) / 32 * 32) cta.columns.put_empty(fill);
  if (threadIdx.x == 0) cta.shared.others = 0;
  __syncthreads();
}

/// A box around all rows, in every thread; also leaves one around each octet.
__device__ float4 bound_rows(const Cta& cta, unsigned rows) {
  float4 mine = empty_box();
  for (unsigned group = 0; 32 * group < rows; ++group) {
    const float4 box = cta.columns.boxes[32 * group + lane_id()];
    mine = bounds_of(mine, box);
    if (group % kWarps != warp_id()) continue;
    const float4 around = octet_bounds(box);
    if (lane_id() % 8 == 0) cta.shared.octets[4 * group + lane_id() / 8] = around;
  }
  return warp_bounds(mine);
}

/// A place for each thread of the warp that wants one, counted by `next`.
__device__ __forceinline__ unsigned next_places(unsigned* next, bool wants) {
  const unsigned wanting = __ballot_sync(kAllLanes, wants);
  if (wanting == 0) return 0;
  unsigned first = 0;
  if (lane_id() == 0) first = atomicAdd(next, static_cast<unsigned>(__popc(wanting)));
  return __shfl_sync(kAllLanes, first, 0) +
         static_cast<unsigned>(__popc(wanting & lanes_below()));
}

/// Puts others that overlap the box around the rows behind them, where there is room. Ends with a
/// barrier.
__device__ void gather_others(const Cta& cta, Batch& batch, const CellGrid& grid,
                              const Share& share) {
  const float4 around = bound_rows(cta, share.rows());
  const unsigned stride = (share.rows() + 31) / 32 * 32;
  for_each(batch, cta.arguments.view, cta.n, grid, cta.cell_memory(),
           [&](unsigned i, bool is_one, float4 box, float score, unsigned cell) {
             const bool joins = is_one && overlap(box, around) && !share.owns(cell) &&
                                valid(box, score);
             const unsigned at = stride + next_places(&cta.shared.others, joins);
             if (joins && at < cta.arguments.limits.columns)
               cta.columns.put(at, box, rank_of(true, score), i);
           });
  __syncthreads();
}

/// Decides the CTA's own candidates. False if it or another CTA gave up.
template <class Overlap, bool kAnyStronger>
__device__ bool decide_own(const Cta& cta, Batch& batch, const CellGrid& grid,
                           const Share& share) {
  gather_rows(cta, batch, grid, share);
  gather_others(cta, batch, grid, share);
  Knowledge& knowledge = cta.shared.knowledge;
  const unsigned stride = (share.rows() + 31) / 32 * 32;
  const Problem problem{cta.columns, cta.bits, share.rows(), stride + cta.shared.others};
  std::uint32_t* const bail = &cta.arguments.scratch.control->bail;
  if (problem.end > cta.arguments.limits.columns ||
      stride * problem.words() > cta.arguments.limits.bit_words) {
    if (threadIdx.x == 0) shared_store(bail, cta.shared.tag);
    return false;
  }
  compare<Overlap>(cta.columns, cta.arguments.view, problem.rows, stride, problem.end,
                   cta.shared.octets, cta.arguments.threshold, cta.bits);
  forget(knowledge, cta.columns, problem.groups(), problem.words());
  if constexpr (!kAnyStronger)
    return decide_rows(knowledge, problem, cta.states(), cta.fits() ? nullptr : bail);
  __syncthreads();
  for (unsigned group = warp_id(); group < problem.groups(); group += kWarps)
    decide_by_any(knowledge, problem, group, cta.states());
  publish_invalid(problem, cta.states());
  __syncthreads();
  return true;
}

/// Tells that this CTA has decided what it owns, or given up.
__device__ void arrive(const Cta& cta) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  std::uint32_t* const arrivals = &cta.arguments.scratch.control->arrivals;
  cta.shared.arrived = shared_add_release(arrivals, cta.meeting().weight()) >> cta.meeting().bits;
}

/// Waits until all CTAs have arrived; false if one gave up.
__device__ bool wait_for_all(const Cta& cta) {
  if (threadIdx.x == 0) {
    const GreedyControl* const control = cta.arguments.scratch.control;
    for (SpinLimit spins;
         shared_load_acquire(&control->arrivals) >> cta.meeting().bits == cta.shared.arrived;)
      spins.count();
    cta.shared.bailed = shared_load(&control->bail) == cta.shared.tag;
  }
  __syncthreads();
  return !cta.shared.bailed;
}

/// Reads the states of a batch, and waits for those that are not decided yet. False if some CTA gave
/// up.
__device__ bool read_states(const Cta& cta, unsigned base, State (&seen)[kEach]) {
  const States states = cta.states();
#pragma unroll
  for (unsigned q = 0; q < kEach; ++q) {
    const unsigned i = base + q * kThreads + threadIdx.x;
    seen[q] = i < cta.n ? states.read(i) : kRemoved;
  }
  SpinLimit spins;
#pragma unroll
  for (unsigned q = 0; q < kEach; ++q)
    while (seen[q] == kUndecided) {
      seen[q] = states.read(base + q * kThreads + threadIdx.x);
      spins.count();
      if (!cta.fits() && spins.seldom() &&
          shared_load(&cta.arguments.scratch.control->bail) == states.tag)
        return false;
    }
  return true;
}

/// Counts all kept candidates between the own ones. False if some CTA gave up. Ends with a barrier.
/// Few candidates are kept, so they are listed first: then all threads have work.
__device__ bool count_all(const Cta& cta, const OwnOrder& own) {
  bool decided = true;
  for (unsigned base = 0; base < cta.n; base += kBatch) {
    if (threadIdx.x == 0) cta.shared.listed = 0;
    State seen[kEach];
    decided = __syncthreads_and(decided && read_states(cta, base, seen)) != 0;
    if (!decided) return false;
#pragma unroll
    for (unsigned q = 0; q < kEach; ++q) {
      if (base + q * kThreads >= cta.n) break;
      const unsigned i = base + q * kThreads + threadIdx.x;
      const bool kept = seen[q] == kKept;
      const unsigned at = next_places(&cta.shared.listed, kept);
      if (kept) cta.kept_keys()[at] = key_of(ordered_bits(__ldg(cta.arguments.view.scores + i)), i);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < cta.shared.listed; i += kThreads)
      count_kept(own, cta.kept_keys()[i]);
    __syncthreads();
  }
  return true;
}

/// Writes own kept candidates to their places, and by CTA 0 how many there are. False if some CTA
/// gave up.
__device__ bool place_all(const Cta& cta, const OwnOrder& own) {
  if (!count_all(cta, own)) return false;
  if (warp_id() == 0) {
    const unsigned kept = place_own(own, [&](unsigned place, std::uint64_t key) {
      cta.arguments.indices[place] = index_of(key);
    });
    if (blockIdx.x == 0 && threadIdx.x == 0) *cta.arguments.kept = kept;
  }
  return true;
}

/// The same for the kept rows.
__device__ bool place_rows(const Cta& cta, unsigned rows) {
  OwnOrder own = cta.own_order();
  order_own(own, cta.shared.knowledge.kept, (rows + 31) / 32,
            [&](unsigned row) { return cta.columns.key(row); });
  const bool writes = own.size != 0 || blockIdx.x == 0;
  if (!cta.fits() && !wait_for_all(cta)) return false;
  return !writes || place_all(cta, own);
}

/// Whether a candidate falls to any that outranks and suppresses it, asked of all n by a warp.
template <class Overlap>
__device__ bool falls_to_any(const Cta& cta, unsigned index) {
  const View& view = cta.arguments.view;
  const float4 box = __ldg(view.boxes + index);
  const float box_area = area(as_box(box));
  const std::uint64_t key = key_at(view, index);
  const std::uint32_t group = group_of(view, index);
  for (unsigned first = 0; first < cta.n; first += 32) {
    const unsigned i = first + lane_id();
    bool falls = false;
    if (i < cta.n) {
      const float4 other = __ldg(view.boxes + i);
      falls = Overlap::suppresses(as_box(other), area(as_box(other)), as_box(box), box_area,
                                  cta.arguments.threshold) &&
              key_at(view, i) > key && group_of(view, i) == group;
    }
    if (__any_sync(kAllLanes, falls)) return true;
  }
  return false;
}

/// The rule fast where boxes crowd: every candidate against all, each CTA its part.
template <class Overlap>
__device__ void compare_all(const Cta& cta) {
  const unsigned part = (cta.n + gridDim.x - 1) / gridDim.x;
  const unsigned begin = min(cta.n, blockIdx.x * part);
  const unsigned end = min(cta.n, begin + part);
  for (unsigned i = begin + warp_id(); i < end; i += kWarps) {
    const bool stands = is_valid_key(key_at(cta.arguments.view, i)) && !falls_to_any<Overlap>(cta, i);
    if (lane_id() == 0) cta.states().publish(i, stands ? kKept : kRemoved);
  }
  grid_barrier(&cta.arguments.scratch.control->barrier, cta.meeting());
  for (unsigned at = begin; at == begin || at < end; at += kRankedAtOnce) {
    const unsigned rows = min(end - min(end, at), kRankedAtOnce);
    const bool mine = threadIdx.x < rows;
    const bool kept = mine && cta.states().read(at + threadIdx.x) == kKept;
    const unsigned keeps = __ballot_sync(kAllLanes, kept);
    if (lane_id() == 0) cta.shared.knowledge.kept[warp_id()] = keeps;
    OwnOrder own = cta.own_order();
    __syncthreads();
    order_own(own, cta.shared.knowledge.kept, (rows + 31) / 32, [&](unsigned row) {
      return key_at(cta.arguments.view, min(at + row, cta.n - 1));
    });
    place_all(cta, own);
    __syncthreads();
  }
}

/// What all CTAs do where the rounds don't pay: too many boxes in one place.
template <class Overlap, bool kAnyStronger>
__device__ void decide_crowd(const Cta& cta) {
  __syncthreads();
  if constexpr (kAnyStronger) {
    compare_all<Overlap>(cta);
  } else {
    const GreedyScratch& scratch = cta.arguments.scratch;
    const unsigned words = (cta.arguments.view.capacity + 31) / 32;
    SweepMemory memory{cta.columns,        cta.bits,        cta.shared.octets,
                       cta.shared.knowledge, cta.own_order(), cta.shared.share.warp_sums};
    const SweepScratch sweep_scratch{scratch.sorted_keys,
                                     scratch.sorted_boxes,
                                     {scratch.alive, scratch.alive + words},
                                     &scratch.control->barrier,
                                     cta.meeting()};
    sweep<Overlap>(cta.arguments.view, cta.n, cta.arguments.threshold, memory, sweep_scratch,
                   cta.arguments.indices, cta.arguments.kept);
  }
}

/// See Note [Tags]; once all CTAs have arrived. An old bail must not look current either.
__device__ void forget_old(const Cta& cta) {
  const States states = cta.states();
  states.clear_old(cta.n, cta.arguments.view.capacity);
  std::uint32_t* const bail = &cta.arguments.scratch.control->bail;
  if (threadIdx.x == 0 && states.tag % 4096 == 0 && shared_load(bail) != states.tag)
    shared_store(bail, ~states.tag);
}

/// The whole of it. True if the CTA's part of the output is written; false where all CTAs must go on
/// with decide_crowd().
template <class Overlap, bool kAnyStronger>
__device__ bool decide_by_rounds(const Cta& cta, Batch& batch) {
  const View& view = cta.arguments.view;
  const unsigned owners = min(gridDim.x, (cta.n + kLeastShare - 1) / kLeastShare);
  const unsigned share_size = max(kLeastShare, owners == 0 ? 0 : (cta.n + owners - 1) / owners);
  const CellGrid grid = grid_over_sample(view, cta.n);
  __syncthreads();  // counts are zero
  count_cells(batch, view, cta.n, grid, cta.cell_memory(), cta.counts);
  const Share share = deal_out(cta.counts, cta.n, blockIdx.x * share_size, share_size,
                               cta.rows_limit(), cta.shared.share);
  if (share.crowded) return false;
  const bool idle = share.rows() == 0;
  if (idle && cta.fits() && blockIdx.x != 0) return true;
  const bool decided = idle || decide_own<Overlap, kAnyStronger>(cta, batch, grid, share);
  if (!cta.fits()) arrive(cta);
  return decided && place_rows(cta, share.rows());
}

template <class Overlap, bool kAnyStronger>
__global__ void __launch_bounds__(kThreads, 1) greedy_kernel(const GreedyArguments arguments) {
  extern __shared__ uint4 memory[];
  __shared__ Shared shared;
  const View& view = arguments.view;
  // The first ones are loaded together with the count, hence the contract that arrays are as long as
  // the capacity.
  constexpr unsigned kEarly = kThreads;
  Batch batch;
  load_batch(batch, view, 0, 0, min(kEarly, view.capacity));
  const std::uint32_t count = __ldg(view.count);
  const unsigned n = min(count, view.capacity);
  if (n <= kBatch) load_batch(batch, view, 0, kEarly, n);
  const Cta cta = lay_out(memory, shared, arguments, n);
  for (unsigned q = threadIdx.x; q < kCells / 4; q += kThreads)
    reinterpret_cast<uint4*>(cta.counts)[q] = make_uint4(0, 0, 0, 0);
  if (threadIdx.x == kThreads - 1) {
    // The launch's number; needed only after some barriers, so its latency hides.
    const std::uint32_t ticket = atomicAdd(&arguments.scratch.control->tickets, cta.meeting().weight());
    shared.tag = ticket >> arguments.ticket_bits;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *arguments.beyond_capacity = count - n;
  const bool done = decide_by_rounds<Overlap, kAnyStronger>(cta, batch);
  if (!done) decide_crowd<Overlap, kAnyStronger>(cta);
  if (blockIdx.x == gridDim.x - 1) forget_old(cta);
}

using Kernel = void (*)(GreedyArguments);

template <class Overlap>
Kernel kernel_with(NmsRule rule) {
  return rule == NmsRule::fast ? greedy_kernel<Overlap, true> : greedy_kernel<Overlap, false>;
}

Kernel kernel_for(const NmsOptions& options) {
  switch (options.overlap) {
    case NmsOverlap::iou:
      return kernel_with<IouOverlap>(options.rule);
    case NmsOverlap::diou:
      return kernel_with<DiouOverlap>(options.rule);
    case NmsOverlap::winner_area:
      return kernel_with<WinnerAreaOverlap>(options.rule);
  }
  throw std::logic_error("an overlap without a kernel");
}

int attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  FACEPIPE_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

}  // namespace

GreedyPlan plan_greedy(const NmsOptions& options, std::uint32_t largest_columns) {
  const Kernel kernel = kernel_for(options);
  cudaFuncAttributes attributes{};
  FACEPIPE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  const auto shared = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) -
                      attributes.sharedSizeBytes;
  GreedyPlan plan;
  // As many columns as pay, or half the memory; all the rest for bits.
  plan.limits.columns = std::min({kMaxColumns, largest_columns,
                                  static_cast<std::uint32_t>(shared / 2 / kBytesOfAColumn) / 32 * 32});
  const std::size_t before_bits = kCountsBytes + plan.limits.columns * kBytesOfAColumn;
  plan.limits.bit_words = static_cast<std::uint32_t>((shared - before_bits) / 16 * 4);
  plan.shared_bytes = static_cast<std::uint32_t>(before_bits + plan.limits.bit_words * 4);
  FACEPIPE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(plan.shared_bytes)));
  int ctas_each = 0;
  FACEPIPE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas_each, kernel, kThreads,
                                                                    plan.shared_bytes));
  if (ctas_each == 0) throw std::logic_error("the greedy kernel does not fit the device");
  plan.ctas = static_cast<std::uint32_t>(attribute(cudaDevAttrMultiProcessorCount));
  plan.ticket_bits = 8;  // tags then have 24 bits, see Note [Tags]
  while ((1U << plan.ticket_bits) < plan.ctas) ++plan.ticket_bits;
  return plan;
}

void launch_greedy(const NmsOptions& options, const GreedyPlan& plan,
                   const GreedyArguments& arguments, cudaStream_t stream) {
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = plan.ctas;
  config.blockDim = kThreads;
  config.dynamicSmemBytes = plan.shared_bytes;
  config.stream = stream;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  FACEPIPE_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel_for(options), arguments));
}

}  // namespace facepipe::nms
