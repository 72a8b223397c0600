// The devices of this build, the only place that knows whether CUDA was built in; and which one of
// them a run takes.
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

/// What there is of CUDA on this machine.
[[nodiscard]] CudaProbe probe_cuda();

/// The same at length; nothing of it in a build without CUDA.
[[nodiscard]] pipeline::CudaAbilities find_cuda_abilities();

/// As detect_one_frame(). Errors: device, too, in a build without CUDA.
[[nodiscard]] pipeline::OneFrameResult detect_on_cuda(const Frame& frame, Device device,
                                                      const detector::DetectorOptions& options);

/// Loads the model for `device`. Errors: device, usage.
[[nodiscard]] std::unique_ptr<pipeline::Backend> make_backend(
    const Device& device, const detector::DetectorOptions& options);

/// Without a model: for jobs alone that look for nothing (HideJob::known). Errors: device.
[[nodiscard]] std::unique_ptr<pipeline::Backend> make_renderer(const Device& device);

using MakeBackend = std::function<std::unique_ptr<pipeline::Backend>(
    const Device&, const detector::DetectorOptions&)>;

struct DeviceChoice {
  std::vector<Device> devices;  ///< one, but of choose_devices()
  std::string why;  ///< one sentence about what auto chose; empty for a device that was named
  std::unique_ptr<pipeline::Backend> backend;
};

/// A device that was named is taken or refused: Error(device), or what making its backend throws.
/// auto takes a CUDA device where one makes a backend for these options (a model that its engine
/// can compute, no engine or precision named that only the CPU has), else the CPU, and says why.
/// Nothing falls back later.
[[nodiscard]] DeviceChoice choose_device(const DeviceRequest& request, const CudaProbe& cuda,
                                         const detector::DetectorOptions& options,
                                         const MakeBackend& make);

/// Several CUDA devices on each input: those that are named, which are taken or refused as above,
/// or all for which a backend can be made, where none is; `why` then says which can't be used.
[[nodiscard]] DeviceChoice choose_devices(const std::vector<int>& wanted, const CudaProbe& cuda,
                                          const detector::DetectorOptions& options,
                                          const MakeBackend& make);

}  // namespace facepipe::app
