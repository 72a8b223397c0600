// Measures with OpenVINO in f32 which values a network's tensors hold when it looks at pictures.
#pragma once

#include <memory>

#include "detector/cnn/cpu/engine.h"

namespace facepipe::detector {

/// Makes an observer of a network of one size. Errors: device.
[[nodiscard]] std::unique_ptr<NetworkObserver> make_openvino_observer(const Model& model,
                                                                      Size network, int threads);

}  // namespace facepipe::detector
