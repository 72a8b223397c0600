// Blocks of a cluster among themselves. Before sm_90 there are none, and no code for them.
#pragma once

#include <cstdint>

namespace facepipe::engine {

/// One half of a barrier of all threads of a cluster: what was written before it can be read by
/// whoever has waited.
__device__ __forceinline__ void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
/// The same without a promise for what was written: for "I have read".
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

/// Where a place of this block's shared memory is in that of block `rank`.
__device__ __forceinline__ std::uint32_t address_in_cluster(const void* place, int rank) {
  std::uint32_t address = 0;
#if __CUDA_ARCH__ >= 900
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(address)
      : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(place))), "r"(rank));
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

}  // namespace facepipe::engine
