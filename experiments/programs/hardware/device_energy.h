// Measures the energy that a CUDA device uses.
#pragma once

namespace facepipe::experiments {

/// Reads the energy counter of the current device from NVML, which comes with NVIDIA's driver. The
/// counter is for the whole device with its memory. It also counts the energy that other processes
/// use, and the energy of the idle device. The driver updates it every 20 to 100 ms, so a
/// measurement should take two seconds or more.
class DeviceEnergy {
 public:
  /// Throws Error(device) if there is no NVML, or if the device has no energy counter.
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
