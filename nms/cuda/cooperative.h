// Launches kernels whose thread blocks wait for each other.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "core/cuda/check.h"

namespace facepipe::nms {

/// Returns an attribute of the current device.
inline int device_attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  FACEPIPE_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

/// Launches `kernel` cooperatively: CUDA refuses the launch unless all blocks can run at the same
/// time. The launch can be captured in a graph. Throws Error(ErrorKind::device) if CUDA fails.
template <class Arguments>
void launch_cooperatively(void (*kernel)(Arguments), unsigned blocks, unsigned threads,
                          std::size_t shared_bytes, cudaStream_t stream,
                          const Arguments& arguments) {
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  FACEPIPE_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments));
}

}  // namespace facepipe::nms
