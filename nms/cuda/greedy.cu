// The rules greedy and fast: one cooperative kernel that reads the count and decides its way by it.
#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "core/cuda/check.h"
#include "nms/cuda/cells.cuh"
#include "nms/cuda/columns.cuh"
#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy.h"
#include "nms/cuda/ranking.cuh"
#include "nms/cuda/rounds.cuh"
#include "nms/cuda/sweep.cuh"

namespace facepipe::nms {
namespace {

constexpr unsigned kLeastShare = 32;         // candidates of a CTA: a warp's worth
constexpr unsigned kMostPolled = 8192;       // above it CTAs wait for all before they look
constexpr unsigned kCountsBytes = kCells * sizeof(unsigned);
constexpr unsigned kBytesOfAColumn = sizeof(float4) + sizeof(std::uint64_t) + 2 * sizeof(float);
static_assert(kMaxRows * sizeof(std::uint64_t) + (kMaxRows + 1) * sizeof(unsigned) <= kCountsBytes);

struct Shared {
  Knowledge knowledge;
  float4 bounds[kMaxGroups];
  unsigned range[kWarps][4];
  ShareMemory share;
  std::uint32_t tag;
  unsigned others;  // columns after the rows
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
    return {keys, reinterpret_cast<unsigned*>(keys + kMaxRows), 0};
  }
  [[nodiscard]] __device__ CellMemory cell_memory() const {
    return {reinterpret_cast<std::uint16_t*>(bits), 2 * arguments.limits.bit_words};
  }
};

__device__ Cta lay_out(uint4* memory, Shared& shared, const GreedyArguments& arguments, unsigned n) {
  const unsigned columns = arguments.limits.columns;
  auto* const counts = reinterpret_cast<unsigned*>(memory);
  auto* const boxes = reinterpret_cast<float4*>(counts + kCells);
  auto* const keys = reinterpret_cast<std::uint64_t*>(boxes + columns);
  auto* const areas = reinterpret_cast<float*>(keys + columns);
  auto* const groups = reinterpret_cast<std::uint32_t*>(areas + columns);
  return {arguments, shared, n, counts,
          Columns{boxes, keys, areas, arguments.view.groups != nullptr ? groups : nullptr},
          groups + columns};
}

/// Puts the CTA's own candidates into columns [0, rows), in the order of their cells, so that each
/// group of 32 lies close together. Needs the starts of the cells in `counts`, and spoils them. Ends
/// with a barrier.
__device__ void gather_rows(const Cta& cta, const CellGrid& grid, const Share& share,
                            unsigned rows) {
  const View& view = cta.arguments.view;
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < cta.n; i += kThreads) {
    const unsigned cell = remembered_cell(cta.cell_memory(), grid, view, i, cta.n);
    if (!share.owns(cell)) continue;
    put_candidate(cta.columns, atomicAdd(cta.counts + cell, 1U) - share.first, view, i);
  }
  for (unsigned at = share.rows() + threadIdx.x; at < rows; at += kThreads)
    cta.columns.put_empty(at);
  if (threadIdx.x == 0) cta.shared.others = 0;
  __syncthreads();
}

/// A box around all rows, in every thread; also leaves one around each group of 32.
__device__ float4 bound_rows(const Cta& cta, unsigned rows) {
  float4 mine = empty_box();
  for (unsigned group = 0; group < rows / 32; ++group) {
    const float4 box = cta.columns.boxes[32 * group + lane_id()];
    mine = bounds_of(mine, box);
    if (group % kWarps != warp_id()) continue;
    const float4 around = warp_bounds(box);
    if (lane_id() == 0) cta.shared.bounds[group] = around;
  }
  return warp_bounds(mine);
}

__device__ __forceinline__ bool is_other(const Cta& cta, const CellGrid& grid, const Share& share,
                                         unsigned index) {
  const View& view = cta.arguments.view;
  return !share.owns(remembered_cell(cta.cell_memory(), grid, view, index, cta.n)) &&
         valid(__ldg(view.boxes + index), __ldg(view.scores + index));
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

/// Puts others that overlap the box around the rows behind them. False if there is no room for all.
/// Ends with a barrier.
__device__ bool gather_others(const Cta& cta, const CellGrid& grid, const Share& share,
                              unsigned rows) {
  const View& view = cta.arguments.view;
  const float4 around = bound_rows(cta, rows);
  for (unsigned first = threadIdx.x; first - lane_id() < cta.n; first += kLoads * kThreads) {
    float4 boxes[kLoads];
    load_boxes(view, cta.n, first, boxes);
#pragma unroll
    for (unsigned q = 0; q < kLoads; ++q) {
      const unsigned i = first + q * kThreads;
      if (i - lane_id() >= cta.n) break;
      const bool joins = i < cta.n && overlap(boxes[q], around) && is_other(cta, grid, share, i);
      const unsigned at = rows + next_places(&cta.shared.others, joins);
      if (joins && at < cta.arguments.limits.columns) put_candidate(cta.columns, at, view, i);
    }
  }
  __syncthreads();
  return rows + cta.shared.others <= cta.arguments.limits.columns;
}

/// Decides the CTA's own candidates. False if it or another CTA gave up.
template <class Overlap, bool kAnyStronger>
__device__ bool decide_own(const Cta& cta, const CellGrid& grid, const Share& share,
                           unsigned rows) {
  gather_rows(cta, grid, share, rows);
  const bool room = gather_others(cta, grid, share, rows);
  const unsigned end = rows + cta.shared.others;
  // What the cells' memory held is overwritten only after the barrier that gather_others ended with.
  if (!room || rows * ((end + 31) / 32) > cta.arguments.limits.bit_words) {
    if (threadIdx.x == 0) shared_store(&cta.arguments.scratch.control->bail, cta.shared.tag);
    return false;
  }
  compare<Overlap>(cta.columns, rows, end, cta.shared.bounds, cta.arguments.threshold, cta.bits);
  forget(cta.shared.knowledge, cta.columns, rows);
  return decide_rows<kAnyStronger>(cta.shared.knowledge, cta.columns, cta.bits, rows, end,
                                   cta.states(), &cta.arguments.scratch.control->bail);
}

/// Tells that this CTA has decided what it owns, or given up.
__device__ void arrive(const Cta& cta) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  shared_add_release(&cta.arguments.scratch.control->arrivals, cta.meeting().weight());
}

/// Waits until all CTAs have arrived; false if one gave up.
__device__ bool wait_for_all(const Cta& cta) {
  if (threadIdx.x == 0) {
    const GreedyControl* const control = cta.arguments.scratch.control;
    const unsigned bits = cta.arguments.ticket_bits;
    const std::uint32_t mask = kAllLanes >> bits;
    for (SpinLimit spins;
         (shared_load_acquire(&control->arrivals) >> bits) != ((cta.shared.tag + 1) & mask);)
      spins.count();
    cta.shared.bailed = shared_load(&control->bail) == cta.shared.tag;
  }
  __syncthreads();
  return !cta.shared.bailed;
}

/// Waits for the state of candidate i; undecided if some CTA gave up.
__device__ __forceinline__ State wait_for_state(const Cta& cta, const States& states, unsigned i,
                                                State state) {
  for (SpinLimit spins; state == kUndecided; spins.count()) {
    if (shared_load(&cta.arguments.scratch.control->bail) == states.tag) break;
    state = states.read(i);
  }
  return state;
}

/// Counts all kept candidates between the own ones. False if some CTA gave up. Ends with a barrier.
__device__ bool count_all(const Cta& cta, const OwnOrder& own) {
  constexpr unsigned kAtOnce = 4;
  const States states = cta.states();
  bool decided = true;
  for (unsigned first = threadIdx.x; first < cta.n; first += kAtOnce * kThreads) {
    State seen[kAtOnce];
    float scores[kAtOnce];
#pragma unroll
    for (unsigned q = 0; q < kAtOnce; ++q) {
      const unsigned i = first + q * kThreads;
      seen[q] = i < cta.n ? states.read(i) : kRemoved;
      scores[q] = i < cta.n ? __ldg(cta.arguments.view.scores + i) : 0;
    }
#pragma unroll
    for (unsigned q = 0; q < kAtOnce; ++q) {
      const unsigned i = first + q * kThreads;
      const State state = wait_for_state(cta, states, i, seen[q]);
      decided = decided && state != kUndecided;
      if (state == kKept) count_kept(own, key_of(scores[q], i));
    }
  }
  return __syncthreads_and(decided) != 0;
}

/// Writes the CTA's kept rows to their places, and by CTA 0 how many there are. False if some CTA
/// gave up.
__device__ bool place_kept(const Cta& cta, unsigned rows) {
  OwnOrder own = cta.own_order();
  order_own(own, cta.columns.keys, cta.shared.knowledge.kept, rows);
  if (own.size == 0 && blockIdx.x != 0) return wait_for_all(cta);
  if (cta.n > kMostPolled && !wait_for_all(cta)) return false;
  if (!count_all(cta, own)) return false;
  if (warp_id() == 0) {
    const unsigned kept = place_own(own, [&](unsigned place, std::uint64_t key) {
      cta.arguments.indices[place] = index_of(key);
    });
    if (blockIdx.x == 0 && threadIdx.x == 0) *cta.arguments.kept = kept;
  }
  return true;
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
    if (threadIdx.x < kRankedAtOnce) {
      const bool mine = threadIdx.x < rows;
      const bool kept = mine && cta.states().read(at + threadIdx.x) == kKept;
      const unsigned keeps = __ballot_sync(kAllLanes, kept);
      if (lane_id() == 0) cta.shared.knowledge.kept[warp_id()] = keeps;
      if (mine) cta.columns.keys[threadIdx.x] = key_at(cta.arguments.view, at + threadIdx.x);
    }
    __syncthreads();
    OwnOrder own = cta.own_order();
    order_own(own, cta.columns.keys, cta.shared.knowledge.kept, (rows + 31) / 32 * 32);
    count_all(cta, own);
    if (warp_id() == 0) {
      const unsigned kept = place_own(own, [&](unsigned place, std::uint64_t key) {
        cta.arguments.indices[place] = index_of(key);
      });
      if (blockIdx.x == 0 && threadIdx.x == 0) *cta.arguments.kept = kept;
    }
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
    SweepMemory memory{cta.columns,        cta.bits,        cta.shared.bounds,
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
__device__ bool decide_by_rounds(const Cta& cta, float4 first_box) {
  const View& view = cta.arguments.view;
  const unsigned owners = min(gridDim.x, (cta.n + kLeastShare - 1) / kLeastShare);
  const unsigned share_size = max(kLeastShare, owners == 0 ? 0 : (cta.n + owners - 1) / owners);
  const CellGrid grid = grid_over(sample_range(view, cta.n, first_box, cta.shared.range));
  count_cells(view, cta.n, grid, cta.cell_memory(), cta.counts);
  const Share share = deal_out(cta.counts, cta.n, blockIdx.x * share_size, share_size,
                               min(kMaxRows, cta.arguments.limits.columns), cta.shared.share);
  if (share.crowded) {
    arrive(cta);
    return false;
  }
  const unsigned rows = (share.rows() + 31) / 32 * 32;
  const bool decided = rows == 0 || decide_own<Overlap, kAnyStronger>(cta, grid, share, rows);
  arrive(cta);
  if (!decided) return false;
  if (rows == 0 && blockIdx.x != 0) return wait_for_all(cta);
  return place_kept(cta, rows);
}

template <class Overlap, bool kAnyStronger>
__global__ void __launch_bounds__(kThreads, 1) greedy_kernel(const GreedyArguments arguments) {
  extern __shared__ uint4 memory[];
  __shared__ Shared shared;
  const View& view = arguments.view;
  // Loaded together with the count, hence the contract that arrays are as long as the capacity.
  float4 first_box = empty_box();
  if (threadIdx.x < view.capacity) first_box = __ldg(view.boxes + threadIdx.x);
  const std::uint32_t count = __ldg(view.count);
  const unsigned n = min(count, view.capacity);
  const Cta cta = lay_out(memory, shared, arguments, n);
  reinterpret_cast<uint4*>(cta.counts)[threadIdx.x] = make_uint4(0, 0, 0, 0);
  if (threadIdx.x == kThreads - 1) {
    // The launch's number; needed only after some barriers, so its latency hides.
    const std::uint32_t ticket = atomicAdd(&arguments.scratch.control->tickets, cta.meeting().weight());
    shared.tag = ticket >> arguments.ticket_bits;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *arguments.beyond_capacity = count - n;
  const bool done = decide_by_rounds<Overlap, kAnyStronger>(cta, first_box);
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
  // Columns first, then bits, of which 96 KiB are plenty; what is left serves as L1 cache.
  plan.limits.columns = std::min({kMaxColumns, largest_columns,
                                  static_cast<std::uint32_t>(shared / 3 / kBytesOfAColumn) / 32 * 32});
  const std::size_t before_bits = kCountsBytes + plan.limits.columns * kBytesOfAColumn;
  plan.limits.bit_words =
      static_cast<std::uint32_t>(std::min<std::size_t>(98304, shared - before_bits) / 16 * 4);
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
