#include "experiments/programs/hardware/device_energy.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <array>
#include <string>

#include "core/cuda/check.h"
#include "core/error.h"

namespace facepipe::experiments {
namespace {

// These declarations are copied from NVML's interface, which is the same in all versions. So the
// build needs neither nvml.h, which the toolkit may lack, nor the library, which machines without a
// GPU lack.
using NvmlResult = int;
using NvmlDevice = void*;
constexpr NvmlResult kNvmlSuccess = 0;

void* library() {
  static void* const found = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (found == nullptr) throw Error(ErrorKind::device, "energy: there is no libnvidia-ml.so.1");
  return found;
}

template <class Function>
Function* nvml_function(const char* name) {
  void* const found = dlsym(library(), name);
  if (found == nullptr) throw Error(ErrorKind::device, std::string("NVML has no ") + name);
  return reinterpret_cast<Function*>(found);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
}

struct Nvml {
  NvmlResult (*init)() = nvml_function<NvmlResult()>("nvmlInit_v2");
  NvmlResult (*shutdown)() = nvml_function<NvmlResult()>("nvmlShutdown");
  NvmlResult (*find)(const char*, NvmlDevice*) =
      nvml_function<NvmlResult(const char*, NvmlDevice*)>("nvmlDeviceGetHandleByPciBusId_v2");
  NvmlResult (*energy)(NvmlDevice, unsigned long long*) =
      nvml_function<NvmlResult(NvmlDevice, unsigned long long*)>(
          "nvmlDeviceGetTotalEnergyConsumption");
  const char* (*text_of)(NvmlResult) = nvml_function<const char*(NvmlResult)>("nvmlErrorString");

  void check(NvmlResult result, const char* what) const {
    if (result != kNvmlSuccess)
      throw Error(ErrorKind::device, std::string(what) + ": " + text_of(result));
  }
};

const Nvml& nvml() {
  static const Nvml functions;
  return functions;
}

/// CUDA and NVML number devices in different orders, so the PCI bus identifies the device.
std::string bus_of_current_device() {
  int device = 0;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  std::array<char, 32> bus{};
  FACEPIPE_CUDA_CHECK(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), device));
  return bus.data();
}

}  // namespace

DeviceEnergy::DeviceEnergy() {
  nvml().check(nvml().init(), "nvmlInit");
  try {
    nvml().check(nvml().find(bus_of_current_device().c_str(), &device_),
                 "nvmlDeviceGetHandleByPciBusId");
    static_cast<void>(joules());
  } catch (...) {
    nvml().shutdown();
    throw;
  }
}

DeviceEnergy::~DeviceEnergy() { nvml().shutdown(); }

double DeviceEnergy::joules() const {
  unsigned long long millijoules = 0;
  nvml().check(nvml().energy(device_, &millijoules), "nvmlDeviceGetTotalEnergyConsumption");
  return 1e-3 * static_cast<double>(millijoules);
}

}  // namespace facepipe::experiments
