// Detects faces on the CPU with channel features. This code is separate from the tests that use
// CUDA's types, because OpenCV has types with the same names.
#pragma once

#include <vector>

#include "core/detections.h"
#include "core/frame.h"
#include "detector/acf/model/acf.h"
#include "detector/acf/pyramid.h"

namespace facepipe::test {

[[nodiscard]] Detections on_cpu(const detector::acf::Model& model, const Frame& frame,
                                const detector::acf::SizeLimits& sizes, float threshold);

/// Returns the CPU's channels in the form of acf::cuda_channels().
[[nodiscard]] std::vector<std::vector<float>> channels_on_cpu(
    const detector::acf::Model& model, const Frame& frame, const detector::acf::SizeLimits& sizes);

}  // namespace facepipe::test
