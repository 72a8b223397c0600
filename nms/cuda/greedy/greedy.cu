// The rules greedy and fast: one cooperative kernel that reads the count and decides its way by it.
#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "core/cuda/check.h"
#include "nms/cuda/cooperative.h"
#include "nms/cuda/device.cuh"
#include "nms/cuda/greedy/cells.cuh"
#include "nms/cuda/greedy/columns.cuh"
#include "nms/cuda/greedy/crowd.cuh"
#include "nms/cuda/greedy/cta.cuh"
#include "nms/cuda/greedy/gather.cuh"
#include "nms/cuda/greedy/greedy.h"
#include "nms/cuda/greedy/place.cuh"
#include "nms/cuda/greedy/rounds.cuh"
#include "nms/cuda/overlaps.cuh"

namespace facepipe::nms {
namespace {

/// Gathers what the CTA has to do with and compares it. False, and the flag to give up is set, if
/// there is no room for it. Ends with a barrier.
template <class Overlap, bool kFits>
__device__ __forceinline__ bool gather_and_compare(const Cta<kFits>& cta, const CellGrid& grid,
                                                   const Share& share, Problem& problem) {
  gather_rows(cta, grid, share);
  gather_others<Overlap>(cta, grid, share);
  const unsigned stride = (share.rows() + 31) / 32 * 32;
  problem = {cta.columns, cta.bits, share.rows(), stride + cta.shared.others};
  // Where starts of cells were: counts, until the kept ones are counted.
  for (unsigned i = threadIdx.x; i <= stride; i += kThreads) cta.own_order().counts[i] = 0;
  const GreedyLimits& limits = cta.arguments.limits;
  const bool room =
      problem.end <= limits.columns - 32 && stride * problem.words() <= limits.bit_words;
  if (room)
    compare<Overlap>(cta.columns, cta.arguments.view, problem.rows, stride, problem.end,
                     cta.shared.octets, cta.arguments.threshold, cta.bits);
  else if (threadIdx.x == 0)
    shared_store(&cta.arguments.scratch.control->bail, cta.shared.tag);
  __syncthreads();
  return room;
}

/// See Note [Tags]; once all CTAs have arrived. An old bail must not look current either.
template <bool kFits>
__device__ __forceinline__ void forget_old(const Cta<kFits>& cta) {
  const States states = cta.states();
  states.clear_old(cta.n, cta.arguments.view.capacity);
  std::uint32_t* const bail = &cta.arguments.scratch.control->bail;
  if (threadIdx.x == 0 && states.tag % 4096 == 0 && shared_load(bail) != states.tag)
    shared_store(bail, ~states.tag);
}

/// Candidates of a CTA. Fewer of them are compared sooner, but wait for more of others.
constexpr unsigned kLeastShare = 16;
__device__ __forceinline__ unsigned share_size_of(unsigned n) {
  return max((n + gridDim.x - 1) / gridDim.x, kLeastShare);
}

/// For CTAs that can't own anything: whether they are needed after all, which CTA 0 finds out.
__device__ __forceinline__ bool wait_if_crowded(const Cta<true>& cta) {
  __syncthreads();  // the tag is there
  if (threadIdx.x == 0) {
    std::uint32_t crowd = 0;
    for (SpinLimit spins; crowd >> 1 != cta.shared.tag; spins.count()) {
      pause();
      crowd = shared_load(&cta.arguments.scratch.control->crowd);
    }
    cta.shared.share.crowded = crowd & 1;
  }
  __syncthreads();
  return cta.shared.share.crowded != 0;
}

template <class Overlap, bool kAnyStronger>
__device__ __forceinline__ void decide_few(const Cta<true>& cta, float4 first_box,
                                           float first_score) {
  const unsigned begin = blockIdx.x * kLeastShare;
  if (begin >= cta.n && blockIdx.x != 0) {
    __syncthreads();  // the tag is there
    return;
  }
  if (threadIdx.x < cta.n) cta.columns.slots.put(threadIdx.x, first_box, first_score, threadIdx.x);
  const Problem problem = gather_few(cta, min(begin, cta.n), min(begin + kLeastShare, cta.n));
  compare<Overlap>(cta.columns, cta.arguments.view, problem.rows, problem.stride(), problem.end,
                   nullptr, cta.arguments.threshold, cta.bits);
  __syncthreads();
  decide_and_place<kAnyStronger>(cta, problem);
}

/// The whole of it. True if the CTA's part of the output is written; false where all CTAs must go
/// on with decide_crowd().
template <class Overlap, bool kAnyStronger, bool kFits>
__device__ __forceinline__ bool decide_by_rounds(const Cta<kFits>& cta, float4 first_box,
                                                 float first_score) {
  if constexpr (kFits) {
    // On few multiprocessors least shares don't reach all.
    if (cta.n <= min(min(kFew, kLeastShare * gridDim.x), cta.rows_limit() / 2)) {
      decide_few<Overlap, kAnyStronger>(cta, first_box, first_score);
      return true;
    }
  }
  const unsigned share_size = share_size_of(cta.n);
  const unsigned begin = blockIdx.x * share_size;
  float4 range;
  if constexpr (kFits) {
    // They would only take bandwidth of L2 from those who load.
    if (begin >= cta.n && blockIdx.x != 0) return !wait_if_crowded(cta);
    range = load_slots(cta, first_box, first_score);
  } else {
    range = sample_range(cta);
  }
  const CellGrid grid = grid_over(range, cta.shared.ranges);
  count_cells(cta, grid);
  const Share share =
      deal_out(cta.counts, cta.n, begin, share_size, cta.rows_limit(), cta.shared.share);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    shared_store(&cta.arguments.scratch.control->crowd,
                 (cta.shared.tag << 1) | (share.crowded ? 1U : 0U));
  if (share.crowded) return false;
  if (share.rows() == 0 && kFits && blockIdx.x != 0) return true;
  Problem problem{cta.columns, cta.bits, 0, 0};
  if (!gather_and_compare<Overlap>(cta, grid, share, problem)) {
    arrive(cta);
    return false;
  }
  return decide_and_place<kAnyStronger>(cta, problem);
}

/// Where there are more candidates than slots.
template <class Overlap, bool kAnyStronger>
__device__ __noinline__ bool decide_many_by_rounds(const GreedyArguments& given, unsigned n) {
  const GreedyArguments arguments =
      given;  // in registers: each look through the reference is a load
  return decide_by_rounds<Overlap, kAnyStronger>(cta_of<false>(arguments, n), empty_box(), 0);
}

template <class Overlap, bool kAnyStronger>
__global__ void __launch_bounds__(kThreads, 1)
    greedy_kernel(const __grid_constant__ GreedyArguments arguments) {
  const View& view = arguments.view;
  // Loaded together with the count, hence the contract that arrays are as long as the capacity.
  float4 first_box = empty_box();
  float first_score = 0;
  if (threadIdx.x < view.capacity) {
    first_box = __ldg(view.boxes + threadIdx.x);
    first_score = __ldg(view.scores + threadIdx.x);
  }
  constexpr unsigned kCurveEach = kCells / 2 / kThreads;  // two places of the curve in a word
  unsigned curve[kCurveEach];
#pragma unroll
  for (unsigned q = 0; q < kCurveEach; ++q)
    curve[q] = __ldg(reinterpret_cast<const unsigned*>(&kCurve) + q * kThreads + threadIdx.x);
  const std::uint32_t count = __ldg(view.count);
  const Cta<true> cta = cta_of<true>(arguments, min(count, view.capacity));
#pragma unroll
  for (unsigned q = 0; q < kCurveEach; ++q) {
    reinterpret_cast<uint2*>(cta.counts)[q * kThreads + threadIdx.x] = make_uint2(0, 0);
    reinterpret_cast<unsigned*>(&cta.shared.curve)[q * kThreads + threadIdx.x] = curve[q];
  }
  if (threadIdx.x == 0) {
    cta.shared.share.crowded = 0;
    cta.shared.own = 0;
  }
  if (threadIdx.x < kMaxGroups) cta.shared.kept[threadIdx.x] = cta.shared.removed[threadIdx.x] = 0;
  if (threadIdx.x == kThreads - 1) {
    // The launch's number; needed only after some barriers, so its latency hides.
    const std::uint32_t ticket =
        atomicAdd(&arguments.scratch.control->tickets, cta.meeting().weight());
    cta.shared.tag = ticket >> arguments.ticket_bits;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *arguments.beyond_capacity = count - cta.n;
  const bool done = fits(arguments, cta.n)
                        ? decide_by_rounds<Overlap, kAnyStronger>(cta, first_box, first_score)
                        : decide_many_by_rounds<Overlap, kAnyStronger>(arguments, cta.n);
  if (!done) decide_crowd<Overlap, kAnyStronger>(arguments, cta.n);
  if (blockIdx.x == gridDim.x - 1) forget_old(cta);
}

using Kernel = void (*)(GreedyArguments);

Kernel kernel_for(const NmsOptions& options) {
  return with_overlap(options.overlap, [&](auto overlap) -> Kernel {
    using Overlap = decltype(overlap);
    return options.rule == NmsRule::fast ? greedy_kernel<Overlap, true>
                                         : greedy_kernel<Overlap, false>;
  });
}

}  // namespace

GreedyPlan plan_greedy(const NmsOptions& options, std::uint32_t largest_columns,
                       std::uint32_t multiprocessors) {
  const Kernel kernel = kernel_for(options);
  cudaFuncAttributes attributes{};
  FACEPIPE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  const auto shared =
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) -
      attributes.sharedSizeBytes;
  GreedyPlan plan;
  // As many columns as pay, or half the memory; all the rest for bits.
  plan.limits.columns =
      std::min({kMaxColumns, largest_columns,
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
  plan.ctas = multiprocessors;
  plan.ticket_bits = 8;  // tags then have 24 bits, see Note [Tags]
  while ((1U << plan.ticket_bits) < plan.ctas) ++plan.ticket_bits;
  return plan;
}

void launch_greedy(const NmsOptions& options, const GreedyPlan& plan,
                   const GreedyArguments& arguments, cudaStream_t stream) {
  launch_cooperatively(kernel_for(options), plan.ctas, kThreads, plan.shared_bytes, stream,
                       arguments);
}

}  // namespace facepipe::nms
