// Runs the CPU's steps from a frame to its candidates one by one, so that tests can compare each
// with a device. This code is separate, because OpenCV's headers also have classes Stream and
// Event.
#pragma once

#include <cstdint>
#include <vector>

#include "core/detections.h"
#include "core/frame.h"
#include "detector/cnn/model/model.h"
#include "detector/network_fit.h"

namespace facepipe::test {

/// Returns the network's input: three planes, which are black outside of the picture.
[[nodiscard]] std::vector<std::uint8_t> preprocess_on_cpu(const Frame& frame,
                                                          const detector::NetworkFit& fit,
                                                          detector::ChannelOrder order);

/// Returns the candidates that OpenCV's engine (f32) and the CPU's head find in a network's input.
[[nodiscard]] Detections detect_on_cpu(const std::vector<std::uint8_t>& planes,
                                       const detector::Model& model,
                                       const detector::NetworkFit& fit, float threshold);

}  // namespace facepipe::test
