// The CPU's way from a frame to candidates, in parts, for comparisons with a device's. A file of
// its own because OpenCV's headers have streams and events, too.
#pragma once

#include <cstdint>
#include <vector>

#include "core/detections.h"
#include "core/frame.h"
#include "detector/cnn/model/model.h"
#include "detector/cnn/model/network_fit.h"

namespace facepipe::test {

/// The network's input, three planes, black where the picture ends.
[[nodiscard]] std::vector<std::uint8_t> preprocess_on_cpu(const Frame& frame,
                                                          const detector::NetworkFit& fit,
                                                          detector::ChannelOrder order);

/// What OpenCV's engine (f32) and the head find in a network's input.
[[nodiscard]] Detections detect_on_cpu(const std::vector<std::uint8_t>& planes,
                                       const detector::Model& model,
                                       const detector::NetworkFit& fit, float threshold);

}  // namespace facepipe::test
