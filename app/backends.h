// The devices of this build, and which one of them a run takes. Only this file knows whether CUDA
// was built in.
#pragma once

#include <functional>
#include <memory>
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

/// Finds what they can do. A build without CUDA finds nothing.
[[nodiscard]] pipeline::CudaAbilities find_cuda_abilities();

/// Does what detect_one_frame() does. Errors: also device, in a build without CUDA.
[[nodiscard]] pipeline::OneFrameResult detect_on_cuda(const Frame& frame, Device device,
                                                      const detector::DetectorOptions& options);

/// Loads the model for `device`. Errors: device, usage.
[[nodiscard]] std::unique_ptr<pipeline::Backend> make_backend(
    const Device& device, const detector::DetectorOptions& options);

/// Makes a backend without a model, for jobs that look for nothing (HideJob::known). Errors:
/// device.
[[nodiscard]] std::unique_ptr<pipeline::Backend> make_renderer(const Device& device);

using MakeBackend = std::function<std::unique_ptr<pipeline::Backend>(
    const Device&, const detector::DetectorOptions&)>;

struct DeviceChoice {
  std::vector<Device> devices;  ///< one; choose_devices() may give several
  std::string why;  ///< a sentence about what auto chose; empty for a device that the user named
  std::unique_ptr<pipeline::Backend> backend;
};

/// Takes a device that the user named, or refuses it: Error(device), or what making its backend
/// throws. auto takes a CUDA device if its backend can be made for these options: its engine can
/// compute the model, and no engine or precision was named that only the CPU has. Else auto takes
/// the CPU, and says why. Nothing falls back later.
[[nodiscard]] DeviceChoice choose_device(const DeviceRequest& request, const CudaProbe& cuda,
                                         const detector::DetectorOptions& options,
                                         const MakeBackend& make);

/// Chooses several CUDA devices, which all work on each input. It takes or refuses the devices that
/// the user named, as above. If he named none, it takes all for which a backend can be made, and
/// `why` says which can't be used.
[[nodiscard]] DeviceChoice choose_devices(const std::vector<int>& wanted, const CudaProbe& cuda,
                                          const detector::DetectorOptions& options,
                                          const MakeBackend& make);

}  // namespace facepipe::app
