// Measures the energy that a CUDA device takes.
#pragma once

namespace facepipe::experiments {

/// Reads the counter of the current device's energy in NVML, which comes with NVIDIA's driver. The
/// counter is for the whole device, with its memory: it also counts what other processes make it
/// take, and what it takes when it is idle. The driver updates it every 20 to 100 ms, so a
/// measurement should take two seconds or more.
class DeviceEnergy {
 public:
  /// Throws Error(device) if there is no NVML, or if the device has no such counter.
  DeviceEnergy();
  ~DeviceEnergy();
  DeviceEnergy(const DeviceEnergy&) = delete;
  DeviceEnergy& operator=(const DeviceEnergy&) = delete;

  /// Returns the joules since the driver was loaded. Throws Error(device).
  [[nodiscard]] double joules() const;

 private:
  void* device_ = nullptr;
};

}  // namespace facepipe::experiments
