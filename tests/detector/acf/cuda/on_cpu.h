// What the CPU finds in a frame with channel features. Apart from tests that name CUDA's types, as
// OpenCV has others of the same names.
#pragma once

#include <vector>

#include "core/detections.h"
#include "core/frame.h"
#include "detector/acf/model/acf.h"
#include "detector/acf/pyramid.h"

namespace facepipe::test {

[[nodiscard]] Detections on_cpu(const detector::acf::Model& model, const Frame& frame,
                                const detector::acf::SizeLimits& sizes, float threshold);

/// As acf::cuda_channels().
[[nodiscard]] std::vector<std::vector<float>> channels_on_cpu(
    const detector::acf::Model& model, const Frame& frame, const detector::acf::SizeLimits& sizes);

}  // namespace facepipe::test
