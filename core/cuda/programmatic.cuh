// The device's side of Overlap::prologue (launch.h). Nothing happens before sm_90, nor in a kernel
// that was launched without it.
#pragma once

namespace facepipe::cuda {

/// Returns when the kernels before this one have ended and what they wrote can be read.
__device__ __forceinline__ void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets the next kernel start where all blocks of this one have called it or ended. What the next
/// one does before it waits must not need anything of this one.
__device__ __forceinline__ void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace facepipe::cuda
