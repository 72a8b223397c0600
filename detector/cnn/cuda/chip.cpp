#include "detector/cnn/cuda/chip.h"

#include "core/cuda/check.h"

namespace facepipe::detector::engine {

Chip current_chip() {
  int device = 0;
  cudaDeviceProp properties{};
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  FACEPIPE_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  return {properties.multiProcessorCount, properties.sharedMemPerBlockOptin,
          10 * properties.major + properties.minor, properties.name};
}

}  // namespace facepipe::detector::engine
