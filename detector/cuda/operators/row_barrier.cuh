// Barriers in shared memory (mbarrier of PTX, sm_80 and newer) that tell when a row has arrived
// there.
#pragma once

#include <cstdint>

namespace facepipe::engine {

__device__ __forceinline__ void barrier_init(std::uint32_t barrier, int arrivals) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
#endif
}

/// This thread's copies so far (copy_async) arrive when they are done.
__device__ __forceinline__ void barrier_arrive_with_copies(std::uint32_t barrier) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
#endif
}

/// This thread's stores so far are done.
__device__ __forceinline__ void barrier_arrive(std::uint32_t barrier) {
#if __CUDA_ARCH__ >= 800
  asm volatile("{\n .reg .b64 state;\n mbarrier.arrive.shared.b64 state, [%0];\n}" ::"r"(barrier)
               : "memory");
#endif
}

/// Waits for the first phase of the barrier.
__device__ __forceinline__ void barrier_wait(std::uint32_t barrier) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "{\n .reg .pred done;\nagain:\n"
      " mbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n @!done bra again;\n}" ::"r"(barrier)
      : "memory");
#elif __CUDA_ARCH__ >= 800
  asm volatile(
      "{\n .reg .pred done;\nagain:\n"
      " mbarrier.test_wait.parity.shared.b64 done, [%0], 0;\n @!done bra again;\n}" ::"r"(barrier)
      : "memory");
#endif
}

}  // namespace facepipe::engine
