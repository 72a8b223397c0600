#include "core/cuda/devices.h"

#include <cuda_runtime_api.h>

#include <fstream>

#include "core/cuda/check.h"

namespace facepipe::cuda {
namespace {

// This is the oldest compute capability that CUDA 13 supports.
constexpr int kOldestMajor = 7;
constexpr int kOldestMinor = 5;

/// Returns why this program can't use the chip; empty if it can.
std::string problem_of(const DeviceFacts& chip) {
  if (chip.major < kOldestMajor || (chip.major == kOldestMajor && chip.minor < kOldestMinor))
    return "is older than compute capability 7.5";
  const std::vector<ChipCode> codes = compiled_codes();
  if (runs_on_chip(codes, chip.major, chip.minor)) return "";
  return "has compute capability " + std::to_string(chip.major) + "." + std::to_string(chip.minor) +
         ", but this build has code for " + describe_chip_codes(codes);
}

}  // namespace

std::vector<ChipCode> compiled_codes() { return chip_codes(FACEPIPE_CUDA_ARCHITECTURES); }

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
    probe.devices.push_back({device.name, problem_of(device)});
  }
  return probe;
}

void use_device(Device device) { FACEPIPE_CUDA_CHECK(cudaSetDevice(device.index)); }

ContextStart::ContextStart(Device device)
    : thread_([device] { static_cast<void>(cudaSetDevice(device.index)); }) {}

}  // namespace facepipe::cuda
