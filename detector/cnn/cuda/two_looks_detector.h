// This detector looks at each picture twice, as it is and mirrored. It then finds faces that it
// missed before.
#pragma once

#include <memory>

#include "detector/cuda_detector.h"

namespace facepipe::detector {

/// Makes a detector for pictures that are `width` pixels wide upright. `plain` finds candidates in
/// them. `mirrored` finds candidates in pictures of the layout with mirrored(Orientation)
/// (detector/mirror.h). Both have the same capacity, which is also the capacity for both together.
/// Either both find landmarks or none does. Candidates come in the order of append_mirrored():
/// those of the first look, then those of the second, as they lie in the picture itself.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_two_looks_detector(
    std::shared_ptr<const CudaDetector> plain, std::shared_ptr<const CudaDetector> mirrored,
    int width);

}  // namespace facepipe::detector
