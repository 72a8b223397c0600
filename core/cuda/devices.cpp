#include "core/cuda/devices.h"

#include <cuda_runtime_api.h>

#include <fstream>

#include "core/cuda/check.h"

namespace facepipe::cuda {
namespace {

// This is the oldest compute capability that CUDA 13 supports. This program is compiled for it too.
constexpr int kOldestMajor = 7;
constexpr int kOldestMinor = 5;

}  // namespace

Versions versions() {
  Versions found;
  FACEPIPE_CUDA_CHECK(cudaRuntimeGetVersion(&found.runtime));
  if (cudaDriverGetVersion(&found.driver) != cudaSuccess) (void)cudaGetLastError();
  std::ifstream release("/sys/module/nvidia/version");
  std::getline(release, found.release);
  return found;
}

std::vector<DeviceFacts> devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    (void)cudaGetLastError();  // clears the error; otherwise a later check would report it
    return {};
  }
  std::vector<DeviceFacts> found;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    FACEPIPE_CUDA_CHECK(cudaGetDeviceProperties(&properties, i));
    found.push_back({properties.name, properties.major, properties.minor, properties.totalGlobalMem,
                     properties.multiProcessorCount});
  }
  return found;
}

CudaProbe probe_devices() {
  CudaProbe probe;
  probe.built = true;
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    (void)cudaGetLastError();
    // If there is no driver, CUDA says that the driver is too old.
    probe.problem =
        versions().driver == 0 ? "NVIDIA's driver isn't installed" : cudaGetErrorString(error);
    return probe;
  }
  for (const DeviceFacts& device : devices()) {
    const bool old = device.major < kOldestMajor ||
                     (device.major == kOldestMajor && device.minor < kOldestMinor);
    probe.devices.push_back({device.name, old ? "is older than compute capability 7.5" : ""});
  }
  return probe;
}

void use_device(Device device) { FACEPIPE_CUDA_CHECK(cudaSetDevice(device.index)); }

}  // namespace facepipe::cuda
