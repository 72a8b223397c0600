// Finds the devices of this build, and chooses which of them a run uses. Only backends.cpp knows
// whether CUDA was built in.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device.h"
#include "detector/options.h"
#include "pipeline/backend.h"
#include "pipeline/cuda/abilities.h"
#include "pipeline/cuda/one_frame.h"

namespace facepipe::app {

/// Finds the CUDA devices of this machine.
[[nodiscard]] CudaProbe probe_cuda();

/// Finds out what the CUDA devices of this machine can do. In a build without CUDA, returns
/// nothing.
[[nodiscard]] pipeline::CudaAbilities find_cuda_abilities();

/// Calls detect_one_frame(). Throws its errors, and Error(device) in a build without CUDA.
[[nodiscard]] pipeline::OneFrameResult detect_on_cuda(const Frame& frame, Device device,
                                                      const detector::DetectorOptions& options);

/// Makes the backend of `device`, with the model of `options`. Throws Error(device) or
/// Error(usage).
[[nodiscard]] std::unique_ptr<pipeline::Backend> make_backend(
    const Device& device, const detector::DetectorOptions& options);

/// Makes a backend without a model, for jobs that don't detect (HideJob::known). Throws
/// Error(device).
[[nodiscard]] std::unique_ptr<pipeline::Backend> make_renderer(const Device& device);

using MakeBackend = std::function<std::unique_ptr<pipeline::Backend>(
    const Device&, const detector::DetectorOptions&)>;

/// Starts devices in threads of its own. The destructor waits until they have started.
using DeviceStart = std::shared_ptr<const void>;

/// Begins to start CUDA's driver and the devices that the user named; if the user named none, the
/// first device, which choose_device() and choose_devices() choose on most machines. With one H100
/// this takes 0.2 s, in which a run can open its input and read its model. Errors come later, when
/// the devices are chosen. Does nothing if the user names the CPU, and in a build without CUDA.
/// @param devices  as in RunOptions
[[nodiscard]] DeviceStart start_devices(const DeviceRequest& request,
                                        const std::optional<std::vector<int>>& devices);

struct DeviceChoice {
  std::vector<Device> devices;  ///< one device; choose_devices() may return several
  std::string why;  ///< a sentence about what auto chose; empty if the user named the device
  std::unique_ptr<pipeline::Backend> backend;
};

/// Returns the device that the user named. Throws Error(device) if the device doesn't exist. Throws
/// the errors of `make` if the device's backend can't be made. For auto, returns a CUDA device if
/// its backend can be made for these options: its engine can compute the model, and the user named
/// no engine or precision that only the CPU has. Otherwise, auto chooses the CPU, and `why` gives
/// the reason. The run never changes to another device later.
[[nodiscard]] DeviceChoice choose_device(const DeviceRequest& request, const CudaProbe& cuda,
                                         const detector::DetectorOptions& options,
                                         const MakeBackend& make);

/// Returns several CUDA devices, which all work on each input. If the user named devices, returns
/// these devices, or throws the errors of choose_device(). Otherwise, returns all devices for which
/// a backend can be made; then `why` says which devices can't be used.
[[nodiscard]] DeviceChoice choose_devices(const std::vector<int>& wanted, const CudaProbe& cuda,
                                          const detector::DetectorOptions& options,
                                          const MakeBackend& make);

}  // namespace facepipe::app
