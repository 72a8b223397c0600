// Launches kernels with clusters, or with programmatic dependent launch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "core/cuda/check.h"
#include "core/cuda/stream.h"

namespace facepipe::cuda {

/// The lowest compute capability (10 * major + minor) that has clusters and Overlap::prologue.
inline constexpr int kOldestWithClusters = 90;

enum class Overlap {
  none,
  /// The kernel may start before the preceding kernel of the stream has ended ("programmatic
  /// dependent launch"). Therefore each of its threads must call wait_for_previous_kernel()
  /// (programmatic.cuh) before its first write, and before it first reads data that other kernels
  /// write. If every kernel of a chain does so, all earlier kernels have ended when the call
  /// returns. In a captured graph the edge stays programmatic. Needs kOldestWithClusters.
  prologue,
};

struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  unsigned cluster_z = 1;  ///< blocks per cluster, along z; more than 1 needs kOldestWithClusters
  Overlap overlap = Overlap::none;
};

/// Launches the kernel. Capture-safe. Errors: Error(device) if CUDA refuses the launch.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), const LaunchShape& shape, StreamView stream,
            const Parameters&... arguments) {
  cudaLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (shape.cluster_z > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count].val.clusterDim = {1, 1, shape.cluster_z};
    ++count;
  }
  if (shape.overlap == Overlap::prologue) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count].val.programmaticStreamSerializationAllowed = 1;
    ++count;
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream.get();
  config.attrs = attributes;
  config.numAttrs = count;
  FACEPIPE_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::cuda
