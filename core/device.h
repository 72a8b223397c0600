// Names a device: the CPU or a CUDA device. A frame's memory lies on a device, and work runs there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace facepipe {

enum class DeviceKind { cpu, cuda };

struct Device {
  DeviceKind kind = DeviceKind::cpu;
  int index = 0;
  friend bool operator==(const Device&, const Device&) = default;
};

/// Returns "cpu", "cuda:0" and so on.
[[nodiscard]] std::string to_string(Device device);

/// Holds what the user asked for: a device, or an automatic choice.
struct DeviceRequest {
  bool automatic = true;
  Device device;
};

/// Parses auto | cpu | cuda | cuda:N; throws Error(usage) for anything else.
[[nodiscard]] DeviceRequest parse_device(std::string_view text);

/// Parses a list of CUDA devices such as "0,2", or "all", which gives an empty list. Throws
/// Error(usage) for anything else, and if a device is named twice.
[[nodiscard]] std::vector<int> parse_devices(std::string_view text);

/// Holds what is known about CUDA on this machine.
struct CudaProbe {
  struct Found {
    std::string name;
    std::string problem;  ///< why the device can't be used; empty if it can
  };
  bool built = false;   ///< this program was built with CUDA
  std::string problem;  ///< why there is no device at all, in the driver's own words
  std::vector<Found> devices;
};

/// Resolves a request once, before any work. Throws Error(device) if the user named a device that
/// can't be used. An automatic choice is the first CUDA device that can be used, or else the CPU;
/// `why` then gets one sentence about this choice.
[[nodiscard]] Device resolve_device(const DeviceRequest& request, const CudaProbe& cuda,
                                    std::string& why);

/// Returns the devices that `wanted` lists, or all that can be used if `wanted` is empty. Errors:
/// Error(device) if a listed device can't be used, or if no device can be used.
[[nodiscard]] std::vector<Device> resolve_devices(const std::vector<int>& wanted,
                                                  const CudaProbe& cuda);

}  // namespace facepipe
