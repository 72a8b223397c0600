// Synchronises the blocks of a cluster, and exchanges data between them. Clusters exist from sm_90
// on. For earlier architectures the functions have no code and are never called.
#pragma once

#include <cstdint>

namespace facepipe::detector::engine {

/// Does the first half of a barrier across the threads of a cluster. After cluster_wait(), all of
/// these threads can read what a thread has written before its cluster_arrive().
__device__ __forceinline__ void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
/// Does the first half of a barrier, but guarantees nothing about writes. The call only signals
/// that the thread has reached this point, for example that it has read its data.
__device__ __forceinline__ void cluster_arrive_relaxed() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void cluster_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/// Returns the address in the shared memory of block `rank` that corresponds to `local`, a pointer
/// to this block's shared memory.
__device__ __forceinline__ std::uint32_t address_in_cluster(const void* local, int rank) {
  std::uint32_t address = 0;
#if __CUDA_ARCH__ >= 900
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(address)
      : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(local))), "r"(rank));
#endif
  return address;
}

__device__ __forceinline__ void store_in_cluster(std::uint32_t address, uint2 value) {
#if __CUDA_ARCH__ >= 900
  asm volatile("st.shared::cluster.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(value.x),
               "r"(value.y)
               : "memory");
#endif
}

}  // namespace facepipe::detector::engine
