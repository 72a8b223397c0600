// Defines the device functions for Overlap::prologue (launch.h). They do nothing before sm_90, and
// nothing in a kernel that was launched without Overlap::prologue.
#pragma once

namespace facepipe::cuda {

/// Returns when all kernels before this one have ended and their results can be read.
__device__ __forceinline__ void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets the next kernel start once every block of this kernel has called this function or ended.
/// The next kernel must not use results of this kernel before it calls wait_for_previous_kernel().
__device__ __forceinline__ void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace facepipe::cuda
