// The rule soft: one cooperative kernel. See Note [Soft rounds].
#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "core/cuda/check.h"
#include "nms/cuda/cooperative.h"
#include "nms/cuda/device.cuh"
#include "nms/cuda/ranking.cuh"
#include "nms/cuda/soft.h"

namespace facepipe::nms {
namespace {

// Note [Soft rounds]
// ~~~~~~~~~~~~~~~~~~
// Scores only fall. So a candidate that outranks, by the scores as they are now, all of its
// neighbours that are still undecided has its final score: whoever is selected before it has been
// selected already. It is selected at once, whatever goes on elsewhere; its neighbours decay.
// Neighbours are those of whose IoU the decay is not 1. Each candidate has a word in L2, its score
// and whether it is undecided, selected or dead (below the least score), which its warp writes and
// its neighbours' warps poll. Rounding must not depend on who came first: a score is the product of
// the decays in the order of selection, by falling final scores. Usually selections are seen in
// that order, and a decay is multiplied as it comes; where one is seen that belongs before some
// that have been multiplied, the product is formed anew. What is multiplied out of order until then
// is only an upper bound, and that is all that selecting asks of a score. A warp has a row of the
// neighbours' matrix at a time: first it compares its candidate with all others and lists the
// neighbours, as many as shared memory holds; a row with more is compared anew each time.

enum Fate : std::uint32_t { kOpen = 0, kSelected = 1, kDead = 2 };

constexpr unsigned kMostRows = 512;  // of a CTA at a time in order_own()

struct Row {
  unsigned index;
  float score;
  float initial;
  std::uint64_t last;  ///< key of the last selection whose decay is in the score
  unsigned applied;    ///< decays in the score
  unsigned neighbours;
  Fate fate;
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

struct Cta {
  const SoftArguments& arguments;
  Shared& shared;
  unsigned n;
  Row* rows;
  Neighbour* lists;
  unsigned rows_each;  // of a warp
  unsigned list_room;  // of a row

  [[nodiscard]] __device__ Meeting meeting() const { return {arguments.ticket_bits}; }
};

__device__ __forceinline__ std::uint64_t load_word(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}
__device__ __forceinline__ void store_word(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

__device__ __forceinline__ void publish(const Cta& cta, const Row& row) {
  if (lane_id() != 0) return;
  const std::uint64_t rank = static_cast<std::uint64_t>(ordered_bits(row.score)) << 32;
  store_word(cta.arguments.words + row.index, rank | (cta.shared.tag << 2) | row.fate);
}

/// What a candidate's word says.
struct Seen {
  std::uint64_t key;  ///< greater than all others until it has been written
  Fate fate;
};
__device__ __forceinline__ Seen seen_at(const Cta& cta, unsigned index) {
  const std::uint64_t word = load_word(cta.arguments.words + index);
  const auto low = static_cast<std::uint32_t>(word);
  if (low >> 2 != cta.shared.tag) return {~std::uint64_t{0}, kOpen};
  return {key_of(static_cast<std::uint32_t>(word >> 32), index), static_cast<Fate>(low & 3)};
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

/// Of 64 bits: the upper half decides, among equal ones the lower.
__device__ __forceinline__ std::uint64_t warp_max(std::uint64_t value) {
  const auto upper = static_cast<unsigned>(value >> 32);
  const unsigned greatest = warp_max(upper);
  const unsigned lower = warp_max(upper == greatest ? static_cast<unsigned>(value) : 0U);
  return (static_cast<std::uint64_t>(greatest) << 32) | lower;
}

/// The decay of the row by candidate i, 1 if they are no neighbours.
template <SoftDecay kDecay>
__device__ __forceinline__ float decay_by(const Cta& cta, const Row& row, unsigned i) {
  const View& view = cta.arguments.view;
  if (i >= cta.n || i == row.index) return 1;
  const float4 other = __ldg(view.boxes + i);
  const float4 box = __ldg(view.boxes + row.index);
  if (!overlap(box, other) || !valid(other, __ldg(view.scores + i))) return 1;
  if (view.groups != nullptr && __ldg(view.groups + i) != __ldg(view.groups + row.index)) return 1;
  const Box a = as_box(box);
  const Box b = as_box(other);
  const float overlap_share = iou(intersection(a, b), area(a), area(b));
  return kDecay == SoftDecay::linear ? linear_decay(overlap_share, cta.arguments.threshold)
                                     : gaussian_decay(overlap_share, cta.arguments.sigma);
}

/// Calls visit(neighbour) with the lanes of a warp, a neighbour each; one of decay 1 is none.
template <SoftDecay kDecay, class Visit>
__device__ __forceinline__ void for_neighbours(const Cta& cta, const Row& row,
                                               const Neighbour* list, Visit&& visit) {
  if (row.neighbours <= cta.list_room) {
    for (unsigned first = 0; first < row.neighbours; first += 32) {
      const unsigned j = first + lane_id();
      visit(j < row.neighbours ? list[j] : Neighbour{1, 0});
    }
    return;
  }
  for (unsigned first = 0; first < cta.n; first += 32) {
    const unsigned i = first + lane_id();
    const float decay = decay_by<kDecay>(cta, row, i);
    if (__any_sync(kAllLanes, decay != 1)) visit(Neighbour{decay, i});
  }
}

template <SoftDecay kDecay>
__device__ __forceinline__ void list_neighbours(const Cta& cta, Row& row, Neighbour* list) {
  unsigned found = 0;
#pragma unroll 4
  for (unsigned first = 0; first < cta.n; first += 32) {
    const unsigned i = first + lane_id();
    const float decay = decay_by<kDecay>(cta, row, i);
    const unsigned are = __ballot_sync(kAllLanes, decay != 1);
    const unsigned at = found + static_cast<unsigned>(__popc(are & lanes_below()));
    if (decay != 1 && at < cta.list_room) list[at] = {decay, i};
    found += static_cast<unsigned>(__popc(are));
  }
  row.neighbours = found;
  __syncwarp();
}

/// What a look at all neighbours tells.
struct Look {
  std::uint64_t next = 0;       ///< the highest selected below the last one applied
  float decay = 1;              ///< its
  unsigned before = 0;          ///< selected ones that should have been applied
  std::uint64_t strongest = 0;  ///< of those that are open
};

__device__ __forceinline__ void take_in(Look& look, const Row& row, const Seen& seen, float decay) {
  if (seen.fate == kOpen) look.strongest = max(look.strongest, seen.key);
  if (seen.fate != kSelected) return;
  if (seen.key >= row.last) {
    ++look.before;
  } else if (seen.key > look.next) {
    look.next = seen.key;
    look.decay = decay;
  }
}

/// What all lanes' looks tell together.
__device__ __forceinline__ Look together(Look look) {
  const std::uint64_t next = warp_max(look.next);
  const unsigned has_it = __ballot_sync(kAllLanes, look.next == next);
  look.decay = __shfl_sync(kAllLanes, look.decay, __ffs(static_cast<int>(has_it)) - 1);
  look.next = next;
  look.before = warp_sum(look.before);
  look.strongest = warp_max(look.strongest);
  return look;
}

/// Applies what has been selected until look() shows nothing more, and decides the row if that can
/// be.
template <class TakeLook>
__device__ __forceinline__ void settle(const Cta& cta, Row& row, TakeLook&& take_look) {
  const float before = row.score;
  Look look = take_look();
  while (look.before != row.applied || look.next != 0) {
    if (look.before != row.applied) {  // one that belongs before: form the product anew
      row.score = row.initial;
      row.last = ~std::uint64_t{0};
      row.applied = 0;
    } else {
      row.score = decayed(row.score, look.decay);
      row.last = look.next;
      ++row.applied;
    }
    look = take_look();
  }
  if (!(row.score >= cta.arguments.min_score))
    row.fate = kDead;
  else if (key_of(ordered_bits(row.score), row.index) > look.strongest)
    row.fate = kSelected;
  if (row.fate != kOpen || row.score != before) publish(cta, row);
}

constexpr unsigned kHeld = 4;  // neighbours of a lane in registers

/// One turn for a row of few neighbours: their words are read once and looked at as often as it
/// takes.
__device__ __forceinline__ void turn_by_list(const Cta& cta, Row& row, const Neighbour* list) {
  Seen seen[kHeld];
  float decays[kHeld];
#pragma unroll
  for (unsigned q = 0; q < kHeld; ++q) {
    const unsigned j = 32 * q + lane_id();
    seen[q] = {0, kDead};
    decays[q] = 1;
    if (j >= row.neighbours) continue;
    decays[q] = list[j].decay;
    seen[q] = seen_at(cta, list[j].index);
  }
  settle(cta, row, [&] {
    Look look;
#pragma unroll
    for (unsigned q = 0; q < kHeld; ++q) take_in(look, row, seen[q], decays[q]);
    return together(look);
  });
}

/// One turn for a row of whatever neighbours.
template <SoftDecay kDecay>
__device__ __forceinline__ void turn(const Cta& cta, Row& row, const Neighbour* list) {
  if (row.neighbours <= min(cta.list_room, 32 * kHeld)) {
    turn_by_list(cta, row, list);
    return;
  }
  settle(cta, row, [&] {
    Look look;
    for_neighbours<kDecay>(cta, row, list, [&](const Neighbour& neighbour) {
      if (neighbour.decay != 1) take_in(look, row, seen_at(cta, neighbour.index), neighbour.decay);
    });
    __syncwarp();
    return together(look);
  });
}

__device__ __forceinline__ Row first_row(const Cta& cta, unsigned index) {
  Row row{index, 0, 0, ~std::uint64_t{0}, 0, 0, kDead};
  if (index >= cta.n) return row;
  const float score = __ldg(cta.arguments.view.scores + index);
  if (valid(__ldg(cta.arguments.view.boxes + index), score)) row.score = row.initial = score;
  if (row.score >= cta.arguments.min_score) row.fate = kOpen;
  publish(cta, row);
  return row;
}

/// Decides the rows of a warp, turn by turn.
template <SoftDecay kDecay>
__device__ __forceinline__ void decide_rows(const Cta& cta) {
  const unsigned warps = gridDim.x * kWarps;
  const unsigned number = warp_id() * gridDim.x + blockIdx.x;  // neighbours on different SMs
  Row* const rows = cta.rows + warp_id() * cta.rows_each;
  Neighbour* const lists = cta.lists + warp_id() * cta.rows_each * cta.list_room;
  unsigned count = 0;
  for (unsigned index = number; index < cta.n; index += warps) {
    Row row = first_row(cta, index);
    if (row.fate != kOpen) continue;
    list_neighbours<kDecay>(cta, row, lists + count * cta.list_room);
    if (lane_id() == 0) rows[count] = row;
    ++count;
  }
  __syncwarp();
  for (SpinLimit spins; count != 0; spins.count()) {
    unsigned open = 0;
    for (unsigned r = 0; r < count; ++r) {
      Row row = rows[r];
      if (row.fate != kOpen) continue;
      turn<kDecay>(cta, row, lists + r * cta.list_room);
      __syncwarp();
      if (lane_id() == 0) rows[r] = row;
      __syncwarp();
      open += row.fate == kOpen ? 1 : 0;
    }
    if (open == 0) return;
  }
}

/// Writes selected ones among candidates [begin, end) to their places. See Note [Ranking].
__device__ __forceinline__ void place_part(const Cta& cta, unsigned begin, unsigned end) {
  Shared& shared = cta.shared;
  __syncthreads();
  if (threadIdx.x == 0) shared.own = 0;
  for (unsigned i = threadIdx.x; i <= kMostRows; i += kThreads) shared.counts[i] = 0;
  __syncthreads();
  const unsigned mine = begin + threadIdx.x;
  if (mine < end)
    if (const Seen seen = seen_at(cta, mine); seen.fate == kSelected)
      shared.spare[atomicAdd(&shared.own, 1U)] = seen.key;
  __syncthreads();
  const OwnOrder own{shared.keys, shared.counts, shared.spare, shared.own};
  order_own(own);
  if (own.size == 0 && begin != 0) return;
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < cta.n; i += kThreads)
    if (const Seen seen = seen_at(cta, i); seen.fate == kSelected) count_kept(own, seen.key);
  __syncthreads();
  if (warp_id() != 0) return;
  const unsigned all = place_own(own, [&](unsigned place, std::uint64_t key) {
    const auto rank = static_cast<std::uint32_t>(key >> 32);
    cta.arguments.indices[place] = index_of(key);
    cta.arguments.scores[place] =
        __uint_as_float((rank & 0x80000000U) != 0 ? rank & 0x7fffffffU : ~rank);
  });
  if (begin == 0 && threadIdx.x == 0) *cta.arguments.kept = all;
}

template <SoftDecay kDecay>
__global__ void __launch_bounds__(kThreads, 1)
    soft_kernel(const __grid_constant__ SoftArguments arguments) {
  extern __shared__ uint4 memory[];
  __shared__ Shared shared;
  const std::uint32_t count = __ldg(arguments.view.count);
  const unsigned n = min(count, arguments.view.capacity);
  if (threadIdx.x == 0) {
    const Meeting meeting{arguments.ticket_bits};
    const std::uint32_t ticket = atomicAdd(&arguments.control->tickets, meeting.weight());
    shared.tag = ticket >> arguments.ticket_bits;
    if (blockIdx.x == 0) *arguments.beyond_capacity = count - n;
  }
  __syncthreads();
  const unsigned warps = gridDim.x * kWarps;
  const unsigned rows_each = max(1U, (n + warps - 1) / warps);
  auto* const rows = reinterpret_cast<Row*>(memory);
  auto* const lists = reinterpret_cast<Neighbour*>(rows + kWarps * rows_each);
  const auto rows_bytes = static_cast<unsigned>(kWarps * rows_each * sizeof(Row));
  const unsigned list_room =
      (arguments.list_bytes - rows_bytes) / (kWarps * rows_each * sizeof(Neighbour));
  const Cta cta{arguments, shared, n, rows, lists, rows_each, list_room};
  decide_rows<kDecay>(cta);
  grid_barrier(&arguments.control->barrier, cta.meeting());
  const unsigned part = max(1U, (n + gridDim.x - 1) / gridDim.x);
  const unsigned begin = min(n, blockIdx.x * part);
  const unsigned end = min(n, begin + part);
  for (unsigned at = begin; at < end || (at == 0 && blockIdx.x == 0); at += kMostRows)
    place_part(cta, at, min(end, at + kMostRows));
  // As Note [Tags] has it.
  if (blockIdx.x != gridDim.x - 1) return;
  for (unsigned i = (shared.tag & 4095U) + 4096U * threadIdx.x; i < arguments.view.capacity;
       i += 4096U * kThreads)
    if (i >= n) store_word(arguments.words + i, 0);
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
  plan.ctas = multiprocessors;
  plan.ticket_bits = 8;  // tags then have 24 bits, see Note [Tags]
  while ((1U << plan.ticket_bits) < plan.ctas) ++plan.ticket_bits;
  // Half of what there is: the rest serves as L1 cache, for the boxes.
  const auto room = static_cast<std::uint32_t>(
      device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - attributes.sharedSizeBytes);
  const std::uint32_t rows_each = capacity / (plan.ctas * kWarps) + 1;
  const auto least = static_cast<std::uint32_t>(kWarps * rows_each * (sizeof(Row) + 32));
  plan.list_bytes = std::min(room, std::max(room / 2, least)) / 16 * 16;
  if (plan.list_bytes < least)
    throw std::invalid_argument("capacity: too large for the rule soft on " +
                                std::to_string(multiprocessors) + " multiprocessors");
  plan.shared_bytes = plan.list_bytes;
  FACEPIPE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(plan.shared_bytes)));
  return plan;
}

void launch_soft(const NmsOptions& options, const SoftPlan& plan, const SoftArguments& arguments,
                 cudaStream_t stream) {
  launch_cooperatively(kernel_for(options), plan.ctas, kThreads, plan.shared_bytes, stream,
                       arguments);
}

}  // namespace facepipe::nms
