// A detector that looks at each picture twice, as it is and mirrored: detectors see in a mirrored
// picture what they miss in the first.
#pragma once

#include <memory>

#include "detector/cuda_detector.h"

namespace facepipe::detector {

/// For pictures that are `width` pixels wide upright. `plain` finds candidates in them, `mirrored`
/// in pictures of the layout with mirrored(Orientation) (detector/mirror.h); both have room for as
/// many, which is the room for those of both together, and both find landmarks or none does.
/// Candidates come in the order of append_mirrored(): those of the first look, then those of the
/// second, as they lie in the picture itself.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_two_looks_detector(
    std::shared_ptr<const CudaDetector> plain, std::shared_ptr<const CudaDetector> mirrored,
    int width);

}  // namespace facepipe::detector
