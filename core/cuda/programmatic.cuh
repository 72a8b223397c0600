// The device's side of Overlap::prologue (launch.h). These functions do nothing before sm_90, and
// nothing in a kernel that was launched without it.
#pragma once

namespace facepipe::cuda {

/// Returns when the kernels before this one have ended and their results can be read.
__device__ __forceinline__ void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets the next kernel start when all blocks of this one have called it or ended. Until the next
/// kernel waits, it must not need any result of this one.
__device__ __forceinline__ void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace facepipe::cuda
