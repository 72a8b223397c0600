// The CUDA devices of this machine.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/device.h"

namespace facepipe::cuda {

struct DeviceFacts {
  std::string name;
  int major = 0;  ///< compute capability
  int minor = 0;
  std::size_t memory_bytes = 0;
  int multiprocessors = 0;
};

/// CUDA's versions as CUDA counts them: 1000 * major + 10 * minor.
struct Versions {
  int runtime = 0;      ///< of the runtime that is linked in
  int driver = 0;       ///< the newest that the driver knows; 0: there is no driver
  std::string release;  ///< of the driver itself, such as "580.95.05"; empty where the kernel
                        ///< doesn't tell
};
[[nodiscard]] Versions versions();

/// What CUDA's driver tells of its devices; none where there is no driver.
[[nodiscard]] std::vector<DeviceFacts> devices();

/// Whether devices can be used, for resolve_device(). Never throws for a machine without one.
[[nodiscard]] CudaProbe probe_devices();

/// Makes `device` the calling thread's. Errors: Error(device).
void use_device(Device device);

}  // namespace facepipe::cuda
