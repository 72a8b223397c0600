// Where a frame lives and work runs.
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

/// "cpu", "cuda:0".
[[nodiscard]] std::string to_string(Device device);

/// What a user asked for: a device, or the choice left to us.
struct DeviceRequest {
  bool automatic = true;
  Device device;
};

/// Parses auto | cpu | cuda | cuda:N; throws Error(usage) for anything else.
[[nodiscard]] DeviceRequest parse_device(std::string_view text);

/// Parses a list of CUDA devices, "0,2", or "all", which is an empty list; throws Error(usage) for
/// anything else, and where one is named twice.
[[nodiscard]] std::vector<int> parse_devices(std::string_view text);

/// What is known of CUDA on this machine.
struct CudaProbe {
  struct Found {
    std::string name;
    std::string problem;  ///< why it can't be used; empty if it can
  };
  bool built = false;   ///< into this program
  std::string problem;  ///< why there is no device at all; the driver's own words
  std::vector<Found> devices;
};

/// Resolves a request once, before any work. An explicit device that can't be used throws
/// Error(device). For auto it is the first CUDA device that can be used, else the CPU, and `why`
/// gets one sentence about it.
[[nodiscard]] Device resolve_device(const DeviceRequest& request, const CudaProbe& cuda,
                                    std::string& why);

/// The devices of parse_devices(): those named, or all that can be used. Errors: Error(device)
/// where one that is named can't, or there is none.
[[nodiscard]] std::vector<Device> resolve_devices(const std::vector<int>& wanted,
                                                  const CudaProbe& cuda);

}  // namespace facepipe
