// The engines of this build; the only place that knows which were built in.
#pragma once

#include <memory>
#include <vector>

#include "detector/cnn/cpu/engine.h"

namespace facepipe {

/// The libraries built in for a kind of device, the preferred one first.
[[nodiscard]] std::vector<EngineSupport> supported_engines(DeviceKind device = DeviceKind::cpu);

/// A network of size `network` on an engine of this build. Errors: device, naming the model's file,
/// where the engine refuses the model or the precision.
[[nodiscard]] std::unique_ptr<Engine> make_engine(Library library, const Model& model, Size network,
                                                  const EngineOptions& options);

}  // namespace facepipe
