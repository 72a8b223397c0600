// Launches of kernels whose CTAs wait for each other.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "core/cuda/check.h"

namespace facepipe::nms {

inline int device_attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  FACEPIPE_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

/// CUDA refuses the launch unless all CTAs fit the device at once. Can be captured.
template <class Arguments>
void launch_cooperatively(void (*kernel)(Arguments), unsigned ctas, unsigned threads,
                          std::size_t shared_bytes, cudaStream_t stream,
                          const Arguments& arguments) {
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = ctas;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  FACEPIPE_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments));
}

}  // namespace facepipe::nms
