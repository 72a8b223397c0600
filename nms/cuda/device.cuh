// What every suppression kernel uses: ranks, warp reductions, words that CTAs share through L2.
#pragma once

#include <cstdint>

#include "core/geometry.h"
#include "nms/cuda/view.h"
#include "nms/predicate.h"

namespace facepipe::nms {

inline constexpr unsigned kThreads = 512;  ///< of every CTA
inline constexpr unsigned kWarps = kThreads / 32;
inline constexpr unsigned kAllLanes = 0xffffffffU;

__device__ __forceinline__ unsigned lane_id() { return threadIdx.x % 32; }
__device__ __forceinline__ unsigned warp_id() { return threadIdx.x / 32; }
__device__ __forceinline__ unsigned lanes_below() { return (1U << lane_id()) - 1; }

__device__ __forceinline__ Box as_box(float4 b) { return Box{b.x, b.y, b.z, b.w}; }

/// Ascending with the float, no NaN given; -0 and +0 are one. Never 0: that marks invalid ones.
__device__ __forceinline__ std::uint32_t ordered_bits(float value) {
  const std::uint32_t bits = __float_as_uint(__fadd_rn(value, 0.0F));
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

/// A rank of 0 is that of a candidate which is none.
__device__ __forceinline__ std::uint32_t rank_of(bool valid, float score) {
  return valid ? ordered_bits(score) : 0;
}

/// A greater key outranks: score first, then the lower index. All keys differ.
__device__ __forceinline__ std::uint64_t key_of(std::uint32_t rank, std::uint32_t index) {
  return (static_cast<std::uint64_t>(rank) << 32) | ~index;
}
__device__ __forceinline__ bool is_valid_key(std::uint64_t key) { return (key >> 32) != 0; }
__device__ __forceinline__ std::uint32_t index_of(std::uint64_t key) {
  return ~static_cast<std::uint32_t>(key);
}

__device__ __forceinline__ bool valid(float4 box, float score) {
  return valid(box.x, box.y, box.z, box.w, score);
}

/// Whether the boxes share more than an edge; where not, no measure of overlap exceeds any
/// threshold.
__device__ __forceinline__ bool overlap(float4 a, float4 b) {
  return a.x < b.z && b.x < a.z && a.y < b.w && b.y < a.w;
}

/// The box that overlaps nothing and bounds nothing.
__device__ __forceinline__ float4 empty_box() {
  constexpr float kInf = __builtin_huge_valf();
  return make_float4(kInf, kInf, -kInf, -kInf);
}

#if __CUDA_ARCH__ < 800
/// All lanes' values put together, in each of them; what newer devices have instructions for.
template <class Value, class Combine>
__device__ __forceinline__ Value warp_combined(Value value, Combine&& combine) {
  for (int step = 16; step > 0; step /= 2)
    value = combine(value, __shfl_xor_sync(kAllLanes, value, step));
  return value;
}
#endif

__device__ __forceinline__ unsigned warp_or(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(kAllLanes, value);
#else
  return warp_combined(value, [](unsigned a, unsigned b) { return a | b; });
#endif
}

/// Of values that are none of them negative or NaN: their bits are in their order.
__device__ __forceinline__ float warp_least(float value) {
#if __CUDA_ARCH__ >= 800
  return __uint_as_float(__reduce_min_sync(kAllLanes, __float_as_uint(value)));
#else
  return warp_combined(value, [](float a, float b) { return fminf(a, b); });
#endif
}
__device__ __forceinline__ float warp_most(float value) {
#if __CUDA_ARCH__ >= 800
  return __uint_as_float(__reduce_max_sync(kAllLanes, __float_as_uint(value)));
#else
  return warp_combined(value, [](float a, float b) { return fmaxf(a, b); });
#endif
}

__device__ __forceinline__ unsigned warp_sum(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(kAllLanes, value);
#else
  return warp_combined(value, [](unsigned a, unsigned b) { return a + b; });
#endif
}

__device__ __forceinline__ unsigned warp_inclusive_sum(unsigned value) {
  for (unsigned step = 1; step < 32; step *= 2) {
    const unsigned below = __shfl_up_sync(kAllLanes, value, step);
    if (lane_id() >= step) value += below;
  }
  return value;
}

__device__ __forceinline__ float4 bounds_of(float4 a, float4 b) {
  return make_float4(fminf(a.x, b.x), fminf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w));
}

/// Of four values, each lane's least of all lanes: value lane % 4, in every lane. Half of the
/// values go at each of the first two steps, so this takes 6 shuffles instead of 20.
__device__ __forceinline__ float warp_least_of_four(float a, float b, float c, float d) {
  const bool odd = (lane_id() & 1) != 0;
  const bool upper = (lane_id() & 2) != 0;
  // Keep a and c in even lanes, b and d in odd ones.
  const float ab = fminf(odd ? b : a, __shfl_xor_sync(kAllLanes, odd ? a : b, 1));
  const float cd = fminf(odd ? d : c, __shfl_xor_sync(kAllLanes, odd ? c : d, 1));
  float least = fminf(upper ? cd : ab, __shfl_xor_sync(kAllLanes, upper ? ab : cd, 2));
#pragma unroll
  for (int step = 4; step < 32; step *= 2)
    least = fminf(least, __shfl_xor_sync(kAllLanes, least, step));
  return least;
}

/// The box of which lane l has the l-th value, l < 4, the last two negated.
__device__ __forceinline__ float4 gathered_box(float value) {
  return make_float4(__shfl_sync(kAllLanes, value, 0), __shfl_sync(kAllLanes, value, 1),
                     -__shfl_sync(kAllLanes, value, 2), -__shfl_sync(kAllLanes, value, 3));
}

/// The smallest box around the warp's boxes, in every lane.
__device__ __forceinline__ float4 warp_bounds(float4 box) {
  return gathered_box(warp_least_of_four(box.x, box.y, -box.z, -box.w));
}

/// The smallest box around those of eight neighbouring lanes, in each of them.
__device__ __forceinline__ float4 octet_bounds(float4 box) {
#pragma unroll
  for (int step = 1; step < 8; step *= 2)
    box = bounds_of(box, make_float4(__shfl_xor_sync(kAllLanes, box.x, step),
                                     __shfl_xor_sync(kAllLanes, box.y, step),
                                     __shfl_xor_sync(kAllLanes, box.z, step),
                                     __shfl_xor_sync(kAllLanes, box.w, step)));
  return box;
}

// Words that CTAs share while they run. Relaxed accesses go to L2, each word by itself; where one
// word tells of others, release and acquire order them.
__device__ __forceinline__ std::uint32_t shared_load(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}
__device__ __forceinline__ std::uint32_t shared_load_acquire(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}
__device__ __forceinline__ void shared_store(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}
__device__ __forceinline__ std::uint32_t shared_add_release(std::uint32_t* word,
                                                            std::uint32_t value) {
  std::uint32_t old;
  asm volatile("atom.release.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(word), "r"(value)
               : "memory");
  return old;
}

/// Between two looks at what others write, where nothing waits for this thread alone.
__device__ __forceinline__ void pause() {
#if __CUDA_ARCH__ >= 700
  __nanosleep(40);
#endif
}

/// Turns a wait that can't end, which would take a defect, into an error of the launch: half a
/// minute.
class SpinLimit {
 public:
  __device__ __forceinline__ void count() {
    if (++spins_ == 1U << 27) __trap();
  }
  /// For what need not be asked each time.
  [[nodiscard]] __device__ __forceinline__ bool seldom() const { return spins_ % 8 == 7; }

 private:
  unsigned spins_ = 0;
};

/// What a CTA adds to a word by which all CTAs meet, so that one meeting adds 2^bits in all. The
/// number of a meeting is then the word >> bits, whatever came before, and the word may overflow.
struct Meeting {
  unsigned bits;
  __device__ __forceinline__ std::uint32_t weight() const {
    return blockIdx.x == 0 ? (1U << bits) - (gridDim.x - 1) : 1;
  }
};

/// A barrier across a grid that was launched cooperatively.
__device__ inline void grid_barrier(std::uint32_t* word, Meeting meeting) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const std::uint32_t before = shared_add_release(word, meeting.weight()) >> meeting.bits;
    for (SpinLimit spins; shared_load_acquire(word) >> meeting.bits == before;) spins.count();
    __threadfence();
  }
  __syncthreads();
}

}  // namespace facepipe::nms
