// Finds the CUDA devices of this machine.
#pragma once

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "core/chip_code.h"
#include "core/device.h"

namespace facepipe::cuda {

struct DeviceFacts {
  std::string name;
  int major = 0;  ///< major version of the compute capability
  int minor = 0;
  std::size_t memory_bytes = 0;
  int multiprocessors = 0;
};

/// Holds CUDA's versions in CUDA's own coding: 1000 * major + 10 * minor.
struct Versions {
  int runtime = 0;      ///< version of the runtime that is linked in
  int driver = 0;       ///< newest version that the driver supports; 0 if there is no driver
  std::string release;  ///< version of the driver itself, such as "580.95.05"; empty if the kernel
                        ///< doesn't report it
};
[[nodiscard]] Versions versions();

/// Returns for which chips this program was compiled.
[[nodiscard]] std::vector<ChipCode> compiled_codes();

/// Returns what CUDA's driver reports about its devices; an empty list if there is no driver.
[[nodiscard]] std::vector<DeviceFacts> devices();

/// Finds out which devices can be used, for resolve_device(). Doesn't throw if there is no device.
[[nodiscard]] CudaProbe probe_devices();

/// Makes `device` the calling thread's device. Makes its context if there is none. Errors:
/// Error(device).
void use_device(Device device);

/// Makes the context of a device in a thread of its own, because that takes 0.1 to 0.3 s. A thread
/// that uses the device meanwhile waits for the context, and gets the error if there is one. The
/// destructor waits, too.
class ContextStart {
 public:
  explicit ContextStart(Device device);

 private:
  std::jthread thread_;
};

}  // namespace facepipe::cuda
