// Holds what all suppression kernels use: keys, warp reductions, and functions for words in global
// memory by which thread blocks communicate.
#pragma once

#include <cstdint>

#include "core/geometry.h"
#include "nms/cuda/candidate_view.h"
#include "nms/predicate.h"

namespace facepipe::nms {

inline constexpr unsigned kThreads = 512;  ///< threads of every block
inline constexpr unsigned kWarps = kThreads / 32;
inline constexpr unsigned kAllLanes = 0xffffffffU;

__device__ __forceinline__ unsigned lane_id() { return threadIdx.x % 32; }
__device__ __forceinline__ unsigned warp_id() { return threadIdx.x / 32; }
__device__ __forceinline__ unsigned lanes_below() { return (1U << lane_id()) - 1; }

/// Returns `value`, which must be equal in all lanes of a warp. The shuffle tells the compiler that
/// it is equal, so the compiler keeps it in a register that the warp shares.
__device__ __forceinline__ int of_warp(int value) { return __shfl_sync(kAllLanes, value, 0); }

__device__ __forceinline__ Box as_box(float4 b) { return Box{b.x, b.y, b.z, b.w}; }

/// Returns bits whose order as integers is the order of the floats. `value` must not be NaN. -0 and
/// +0 give the same bits. The result is never 0, because ordered_score() returns 0 for an invalid
/// candidate.
__device__ __forceinline__ std::uint32_t ordered_bits(float value) {
  const std::uint32_t bits = __float_as_uint(__fadd_rn(value, 0.0F));
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

__device__ __forceinline__ std::uint32_t ordered_score(bool valid, float score) {
  return valid ? ordered_bits(score) : 0;
}

/// Returns the key of a candidate, from its ordered_score() and its index. The candidate with the
/// greater key outranks the other: it has the higher score, or the lower index if the scores are
/// equal. No two candidates have the same key.
__device__ __forceinline__ std::uint64_t key_of(std::uint32_t score, std::uint32_t index) {
  return (static_cast<std::uint64_t>(score) << 32) | ~index;
}
__device__ __forceinline__ bool is_valid_key(std::uint64_t key) { return (key >> 32) != 0; }
__device__ __forceinline__ std::uint32_t index_of(std::uint64_t key) {
  return ~static_cast<std::uint32_t>(key);
}

__device__ __forceinline__ bool valid(float4 box, float score) {
  return valid(box.x, box.y, box.z, box.w, score);
}

/// Returns whether the boxes share more than an edge. If not, no measure of overlap exceeds any
/// threshold.
__device__ __forceinline__ bool overlap(float4 a, float4 b) {
  return a.x < b.z && b.x < a.z && a.y < b.w && b.y < a.w;
}

/// Returns a box that overlaps no box and is neutral in bounds_of().
__device__ __forceinline__ float4 empty_box() {
  constexpr float kInf = __builtin_huge_valf();
  return make_float4(kInf, kInf, -kInf, -kInf);
}

/// Returns the reduction of all lanes' values, in every lane. It works on all devices. For some
/// reductions, the functions below use instructions of newer devices instead.
template <class Value, class Combine>
__device__ __forceinline__ Value warp_combined(Value value, Combine&& combine) {
  for (int step = 16; step > 0; step /= 2)
    value = combine(value, __shfl_xor_sync(kAllLanes, value, step));
  return value;
}

__device__ __forceinline__ unsigned warp_or(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(kAllLanes, value);
#else
  return warp_combined(value, [](unsigned a, unsigned b) { return a | b; });
#endif
}

/// warp_least() returns the minimum of all lanes' values, and warp_most() their maximum. No value
/// may be negative or NaN; the bits of other values have the same order as the values.
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

template <class Value>
__device__ __forceinline__ Value warp_inclusive_sum(Value value) {
  for (unsigned step = 1; step < 32; step *= 2) {
    const Value below = __shfl_up_sync(kAllLanes, value, step);
    if (lane_id() >= step) value += below;
  }
  return value;
}

__device__ __forceinline__ float4 bounds_of(float4 a, float4 b) {
  return make_float4(fminf(a.x, b.x), fminf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w));
}

/// Returns the minima over all lanes of four values: lane l gets the minimum of value l % 4. Each
/// of the first two steps halves the number of values that a lane carries, so this takes 6 shuffles
/// instead of 20.
__device__ __forceinline__ float warp_least_of_four(float a, float b, float c, float d) {
  const bool odd = (lane_id() & 1) != 0;
  const bool upper = (lane_id() & 2) != 0;
  // Even lanes keep a and c, odd lanes keep b and d.
  const float ab = fminf(odd ? b : a, __shfl_xor_sync(kAllLanes, odd ? a : b, 1));
  const float cd = fminf(odd ? d : c, __shfl_xor_sync(kAllLanes, odd ? c : d, 1));
  float least = fminf(upper ? cd : ab, __shfl_xor_sync(kAllLanes, upper ? ab : cd, 2));
#pragma unroll
  for (int step = 4; step < 32; step *= 2)
    least = fminf(least, __shfl_xor_sync(kAllLanes, least, step));
  return least;
}

/// Returns a box from the values of lanes 0 to 3: x1, y1, -x2, -y2.
__device__ __forceinline__ float4 gathered_box(float value) {
  return make_float4(__shfl_sync(kAllLanes, value, 0), __shfl_sync(kAllLanes, value, 1),
                     -__shfl_sync(kAllLanes, value, 2), -__shfl_sync(kAllLanes, value, 3));
}

/// Returns the bounding box of all lanes' boxes, in every lane.
__device__ __forceinline__ float4 warp_bounds(float4 box) {
  return gathered_box(warp_least_of_four(box.x, box.y, -box.z, -box.w));
}

/// Returns the bounding box of the boxes of eight neighbouring lanes, in each of these lanes.
__device__ __forceinline__ float4 octet_bounds(float4 box) {
#pragma unroll
  for (int step = 1; step < 8; step *= 2)
    box = bounds_of(box, make_float4(__shfl_xor_sync(kAllLanes, box.x, step),
                                     __shfl_xor_sync(kAllLanes, box.y, step),
                                     __shfl_xor_sync(kAllLanes, box.z, step),
                                     __shfl_xor_sync(kAllLanes, box.w, step)));
  return box;
}

// These functions access words in global memory by which running blocks communicate. Relaxed
// accesses read and write L2, and order nothing except the word itself. Release and acquire are for
// words that signal that other words have been written.
__device__ __forceinline__ std::uint32_t load_relaxed(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}
__device__ __forceinline__ std::uint32_t load_acquire(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}
__device__ __forceinline__ void store_relaxed(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}
__device__ __forceinline__ std::uint64_t load_relaxed(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}
__device__ __forceinline__ void store_relaxed(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}
__device__ __forceinline__ std::uint32_t add_release(std::uint32_t* word, std::uint32_t value) {
  std::uint32_t old;
  asm volatile("atom.release.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(word), "r"(value)
               : "memory");
  return old;
}

/// Pauses between two polls. A thread should call it only if no other thread waits for its
/// progress.
__device__ __forceinline__ void pause() {
#if __CUDA_ARCH__ >= 700
  __nanosleep(40);
#endif
}

/// Counts the polls of a wait. A wait is endless only if the program has a bug. Then, after about
/// half a minute, the kernel traps, and the launch fails.
class SpinLimit {
 public:
  __device__ __forceinline__ void count() {
    if (++spins_ == 1U << 27) __trap();
  }
  /// Returns true at every eighth poll, for conditions that need not be checked each time.
  [[nodiscard]] __device__ __forceinline__ bool seldom() const { return spins_ % 8 == 7; }

 private:
  unsigned spins_ = 0;
};

/// Blocks count phases in a word of global memory. In each phase, every block adds increment(), and
/// the increments of all blocks add up to 2^bits. So word >> bits is the number of complete phases
/// since the word was set, over all launches. The word may overflow.
struct PhaseCounter {
  unsigned bits;
  __device__ __forceinline__ std::uint32_t increment() const {
    return blockIdx.x == 0 ? (1U << bits) - (gridDim.x - 1) : 1;
  }
};

/// Waits until all blocks of a cooperative launch have called it. `word` counts the phases of this
/// barrier.
__device__ inline void grid_barrier(std::uint32_t* word, PhaseCounter phases) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const std::uint32_t before = add_release(word, phases.increment()) >> phases.bits;
    for (SpinLimit spins; load_acquire(word) >> phases.bits == before;) spins.count();
    __threadfence();
  }
  __syncthreads();
}

}  // namespace facepipe::nms
