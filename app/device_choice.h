// Where a run works: the device, and the backend made ready on it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/device.h"
#include "detector/options.h"
#include "pipeline/backend.h"

namespace facepipe {

using MakeBackend = std::function<std::unique_ptr<Backend>(const Device&, const DetectorOptions&)>;

struct DeviceChoice {
  Device device;
  std::string why;  ///< one sentence about what auto chose; empty for a device that was named
  std::unique_ptr<Backend> backend;
};

/// A device that was named is taken or refused: Error(device), or what making its backend throws.
/// auto takes a CUDA device where one makes a backend for these options (a model that its engine
/// can compute, no engine or precision named that only the CPU has), else the CPU, and says why.
/// Nothing falls back later.
[[nodiscard]] DeviceChoice choose_device(const DeviceRequest& request, const CudaProbe& cuda,
                                         const DetectorOptions& options, const MakeBackend& make);

}  // namespace facepipe
