// What the tensors of a network hold when it looks at pictures, by OpenVINO in f32.
#pragma once

#include <memory>

#include "detector/cnn/cpu/engine.h"

namespace facepipe::detector {

/// Of a network of one size. Errors: device.
[[nodiscard]] std::unique_ptr<NetworkObserver> make_openvino_observer(const Model& model,
                                                                      Size network, int threads);

}  // namespace facepipe::detector
