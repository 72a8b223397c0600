// choose_engine with the build and the processor as parameters, so that every case can be tested
// on any machine.
#pragma once

#include <span>

#include "detector/cnn/cpu/engines.h"
#include "detector/options.h"

namespace facepipe {

/// As choose_engine(device, options), for a build and processor with the engines `built`.
[[nodiscard]] EngineChoice choose_engine(const Device& device, const DetectorOptions& options,
                                         std::span<const EngineSupport> built);

}  // namespace facepipe
