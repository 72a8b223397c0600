// Measures which values a network's tensors have for pictures. OpenVINO computes the network in
// f32.
#pragma once

#include <memory>

#include "detector/cnn/cpu/engine.h"

namespace facepipe::detector {

/// Makes an observer of a network of one size. Throws Error(device) if OpenVINO fails.
[[nodiscard]] std::unique_ptr<NetworkObserver> make_openvino_observer(const Model& model,
                                                                      Size network, int threads);

}  // namespace facepipe::detector
